package firestoreltm

import (
	"context"
	"fmt"
	"time"

	firestore "cloud.google.com/go/firestore/apiv1"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	minBackoff = 50 * time.Millisecond // from a connection that fails to the next one
	maxBackoff = 500 * time.Millisecond
	dialLimit  = 10 * time.Second // for a connection
	pingAfter  = 30 * time.Second // of silence while a call waits
	pingLimit  = 10 * time.Second // for the answer
)

// dial makes the client, which connects when it is used. It may ask a server for
// credentials, for longer than caller says: nobody waits for that.
func (c *config) dial(caller context.Context) (*firestore.Client, error) {
	ctx, cancel := context.WithTimeout(caller, c.timeout)
	defer cancel()
	type result struct {
		client *firestore.Client
		err    error
	}
	made := make(chan result)
	go func() {
		var r result
		r.client, r.err = firestore.NewClient(context.WithoutCancel(ctx), c.clientOptions()...)
		select {
		case made <- r:
		case <-ctx.Done():
			if r.err == nil {
				_ = r.client.Close() // nobody has used it
			}
		}
	}()
	select {
	case r := <-made:
		if r.err != nil {
			return nil, fmt.Errorf("%w: %w: %s", driver.ErrConfig, r.err, credentialsHint)
		}
		// What is committed on a condition must not be sent twice.
		r.client.CallOptions = &firestore.CallOptions{}
		return r.client, nil
	case <-ctx.Done():
		if err := caller.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: Google's credentials were not found within %v: %s", driver.ErrUnavailable, c.timeout, credentialsHint)
	}
}

func (c *config) clientOptions() []option.ClientOption {
	all := []option.ClientOption{
		option.WithTelemetryDisabled(), // nobody looks at it
		option.WithGRPCDialOption(grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: minBackoff, Multiplier: 2, Jitter: 0.2, MaxDelay: maxBackoff},
			MinConnectTimeout: dialLimit,
		})),
		option.WithGRPCDialOption(grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingAfter, Timeout: pingLimit})),
	}
	if c.emulator == "" {
		return all
	}
	return append(all,
		option.WithEndpoint(c.emulator),
		option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
		option.WithGRPCDialOption(grpc.WithPerRPCCredentials(owner{})),
	)
}

// owner is who may do everything, to an emulator.
type owner struct{}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (owner) RequireTransportSecurity() bool { return false }
