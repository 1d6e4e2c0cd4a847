package redisltm

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
)

// Inspect implements driver.Inspector. What the server would not tell us is
// unknown.
func (s *Store) Inspect(ctx context.Context) (driver.Facts, error) {
	return result(ctx, s.again, func(ctx context.Context) (driver.Facts, error) {
		f := driver.Facts{Newest: formatVersion}
		format, err := s.client.HGet(ctx, s.store(), "format").Result()
		if err == nil {
			f.Format, err = strconv.Atoi(format)
		}
		if err != nil && !errors.Is(err, redis.Nil) {
			return f, err
		}
		about, err := s.info(ctx, "server")
		if err != nil {
			return f, err
		}
		for _, product := range []string{"Redis", "Valkey"} { // Valkey tells both, and is the second
			if version := about[strings.ToLower(product)+"_version"]; version != "" {
				f.Product = product + " " + version
			}
		}
		at, err := s.client.Time(ctx).Result()
		if err == nil {
			f.Time = at.UnixMilli()
		}
		return f, told(err)
	})
}

// info returns what the server tells about itself, nothing where it would not.
func (s *Store) info(ctx context.Context, section string) (map[string]string, error) {
	text, err := s.client.Info(ctx, section).Result()
	facts := map[string]string{}
	for line := range strings.Lines(text) {
		name, v, _ := strings.Cut(strings.TrimSpace(line), ":")
		facts[name] = v
	}
	return facts, told(err)
}

// told takes a refusal to tell something for no error.
func told(err error) error {
	if redis.HasErrorPrefix(err, "NOPERM") || redis.HasErrorPrefix(err, "ERR") {
		return nil
	}
	return err
}
