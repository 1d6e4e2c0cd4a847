package redisltm_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// certify makes a certificate for 127.0.0.1 that is its own authority.
func certify(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{{127, 0, 0, 1}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certify(t)
	addr := start(t, "--port", "0", "--tls-port", "PORT", "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no")
	s := open(t, "rediss://"+addr+"?ca="+cert)
	put(t, s, driver.Record{Key: driver.Key{Key: "k"}})
	if got := keysOf(t, s, driver.Query{}); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	if _, err := openErr(t.Context(), "rediss://"+addr); !errors.Is(err, driver.ErrConfig) {
		t.Errorf("an unknown authority: %v", err)
	}
	if _, err := openErr(t.Context(), "redis://"+addr+"?timeout=500ms"); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("without TLS: %v", err)
	}
}
