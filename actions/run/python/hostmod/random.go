package hostmod

import (
	"crypto/md5"
	"crypto/sha1" //nolint:gosec // uuid5 is defined by it
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

// source gives the run's random numbers.
func source(t *thread) (*rand.Rand, error) {
	if t.Host.Uint64 == nil {
		return nil, object.Errorf("RuntimeError", "there is no source of randomness here")
	}
	return rand.New(sourceFunc(t.Host.Uint64)), nil //nolint:gosec // the host decides
}

type sourceFunc func() uint64

// Uint64 implements rand.Source.
func (f sourceFunc) Uint64() uint64 { return f() }

func randomModule() *object.Module {
	return module("random", map[string]fn{
		"random": rndRandom, "randint": rndRandint, "randrange": rndRandrange, "choice": rndChoice, "choices": rndChoices,
		"shuffle": rndShuffle, "sample": rndSample, "uniform": rndUniform, "gauss": rndGauss, "normalvariate": rndGauss,
		"seed": rndSeed, "getrandbits": rndBits,
	}, nil)
}

func rndSeed(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("seed", "a? version?", &x, new(obj)); err != nil {
		return nil, err
	}
	if object.IsNone(x) {
		return object.None(), nil
	}
	k, err := t.Key(x)
	if err != nil {
		return nil, err
	}
	t.Host.Uint64 = rand.NewPCG(uint64(k.Hash()), 0x7ea).Uint64
	return object.None(), nil
}

func rndRandom(t *thread, a args) (obj, error) {
	r, err := source(t)
	if err != nil {
		return nil, err
	}
	return object.Float(r.Float64()), a.Bind("random", "")
}

// below gives a number in [lo, hi).
func below(t *thread, lo, hi int) (int, error) {
	r, err := source(t)
	if err != nil {
		return 0, err
	}
	n := uint64(hi) - uint64(lo)
	if hi <= lo {
		return 0, object.ValueErrorf("empty range for randrange() (%d, %d, %d)", lo, hi, hi-lo)
	}
	return int(uint64(lo) + r.Uint64N(n)), nil
}

func rndRandint(t *thread, a args) (obj, error) {
	var x, y obj
	if err := a.Bind("randint", "a b", &x, &y); err != nil {
		return nil, err
	}
	lo, err := object.IntArg(x)
	if err != nil {
		return nil, err
	}
	hi, err := object.IntArg(y)
	if err != nil {
		return nil, err
	}
	if hi == math.MaxInt {
		return nil, object.ValueErrorf("randint() takes integers of less than 64 bits here")
	}
	n, err := below(t, lo, hi+1)
	return object.Int(n), err
}

func rndRandrange(t *thread, a args) (obj, error) {
	var x, y, z obj
	if err := a.Bind("randrange", "start stop? step?", &x, &y, &z); err != nil {
		return nil, err
	}
	var n [3]int
	for i, o := range []obj{x, y, z} {
		v, err := intOr(o, i/2)
		if err != nil {
			return nil, err
		}
		n[i] = max(-1<<60, min(v, 1<<60))
	}
	if y == nil {
		n[0], n[1] = 0, n[0]
	}
	if n[2] == 0 {
		return nil, object.ValueErrorf("zero step for randrange()")
	}
	i, err := below(t, 0, object.NewRange(n[0], n[1], n[2]).N)
	return object.Int(n[0] + i*n[2]), err
}

func rndChoice(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("choice", "seq", &x); err != nil {
		return nil, err
	}
	n, err := object.Len(x)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, object.Errorf("IndexError", "Cannot choose from an empty sequence")
	}
	i, err := below(t, 0, n)
	if err != nil {
		return nil, err
	}
	return object.GetItem(t, x, object.Int(i))
}

func rndChoices(t *thread, a args) (obj, error) {
	var x, w, cw, k obj
	if err := a.Bind("choices", "population weights? * cum_weights? k?", &x, &w, &cw, &k); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, object.Errorf("IndexError", "Cannot choose from an empty sequence")
	}
	n, err := intOr(k, 1)
	if err != nil {
		return nil, err
	}
	sums, err := weightSums(t, w, len(items))
	if err != nil {
		return nil, err
	}
	if err := t.AllocN(max(n, 0), 24); err != nil {
		return nil, err
	}
	r, err := source(t)
	if err != nil {
		return nil, err
	}
	var out []obj
	for range n {
		if err := t.Step(uint64(len(items)/16) + 1); err != nil {
			return nil, err
		}
		at := r.Float64() * sums[len(sums)-1]
		i := 0
		for i < len(items)-1 && sums[i] <= at {
			i++
		}
		out = append(out, items[i])
	}
	return object.NewList(out), nil
}

func weightSums(t *thread, w obj, n int) ([]float64, error) {
	sums := make([]float64, n)
	if object.IsNone(w) {
		for i := range sums {
			sums[i] = float64(i + 1)
		}
		return sums, nil
	}
	ws, err := floatsOf(t, w)
	if err != nil {
		return nil, err
	}
	if len(ws) != n {
		return nil, object.ValueErrorf("The number of weights does not match the population")
	}
	total := 0.0
	for i, x := range ws {
		total += x
		sums[i] = total
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return nil, object.ValueErrorf("Total of weights must be greater than zero")
	}
	return sums, nil
}

func rndShuffle(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("shuffle", "x", &x); err != nil {
		return nil, err
	}
	l, ok := x.(*object.List)
	if !ok {
		return nil, object.TypeErrorf("shuffle() needs a list, not %s", x.TypeName())
	}
	r, err := source(t)
	if err != nil {
		return nil, err
	}
	items := l.Items()
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return object.None(), t.Step(uint64(len(items)))
}

func rndSample(t *thread, a args) (obj, error) {
	var x, k obj
	if err := a.Bind("sample", "population k", &x, &k); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	n, err := object.IntArg(k)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > len(items) {
		return nil, object.ValueErrorf("Sample larger than population or is negative")
	}
	r, err := source(t)
	if err != nil {
		return nil, err
	}
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return object.NewList(items[:n]), t.Step(uint64(len(items)))
}

func rndUniform(t *thread, a args) (obj, error) {
	var x, y obj
	if err := a.Bind("uniform", "a b", &x, &y); err != nil {
		return nil, err
	}
	lo, err := object.FloatArg(x)
	if err != nil {
		return nil, err
	}
	hi, err := object.FloatArg(y)
	if err != nil {
		return nil, err
	}
	r, err := source(t)
	if err != nil {
		return nil, err
	}
	return object.Float(lo + (hi-lo)*r.Float64()), nil
}

func rndGauss(t *thread, a args) (obj, error) {
	var m, s obj = object.Float(0), object.Float(1)
	if err := a.Bind("gauss", "mu? sigma?", &m, &s); err != nil {
		return nil, err
	}
	mu, err := object.FloatArg(m)
	if err != nil {
		return nil, err
	}
	sigma, err := object.FloatArg(s)
	if err != nil {
		return nil, err
	}
	r, err := source(t)
	if err != nil {
		return nil, err
	}
	return object.Float(mu + sigma*r.NormFloat64()), nil
}

func rndBits(t *thread, a args) (obj, error) {
	var k obj
	if err := a.Bind("getrandbits", "k", &k); err != nil {
		return nil, err
	}
	n, err := object.IntArg(k)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > 63 {
		return nil, object.ValueErrorf("getrandbits() takes 0 to 63 bits here")
	}
	i, err := below(t, 0, 1<<62)
	return object.Int(i & (1<<n - 1)), err
}

// uuidValue is a UUID.
type uuidValue struct{ b [16]byte }

// TypeName implements object.Object.
func (*uuidValue) TypeName() string { return "uuid.UUID" }

// Str implements object.Strer.
func (u *uuidValue) Str() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u.b[:4], u.b[4:6], u.b[6:8], u.b[8:10], u.b[10:])
}

// Repr implements object.Reprer.
func (u *uuidValue) Repr(*object.Thread) (string, error) { return "UUID('" + u.Str() + "')", nil }

// HashKey implements object.Hasher.
func (u *uuidValue) HashKey() object.Key { return object.HostKey("uuid.UUID", string(u.b[:])) }

// Attr implements object.Attributer.
func (u *uuidValue) Attr(_ *object.Thread, name string) (obj, bool, error) {
	switch name {
	case "hex":
		return object.NewStr(hex.EncodeToString(u.b[:])), true, nil
	case "bytes":
		return object.Bytes(u.b[:]), true, nil
	case "version":
		return object.Int(u.b[6] >> 4), true, nil
	}
	return nil, false, nil
}

// AttrNames implements object.AttrNamer.
func (*uuidValue) AttrNames() []string { return []string{"hex", "bytes", "version"} }

func newUUIDOf(b []byte, version byte) *uuidValue {
	u := &uuidValue{}
	copy(u.b[:], b)
	u.b[6] = u.b[6]&0x0f | version<<4
	u.b[8] = u.b[8]&0x3f | 0x80
	return u
}

func uuidModule() *object.Module {
	members := map[string]obj{"UUID": object.Type("uuid.UUID")}
	for i, name := range []string{"NAMESPACE_DNS", "NAMESPACE_URL", "NAMESPACE_OID", "", "NAMESPACE_X500"} {
		if name == "" {
			continue
		}
		b, _ := hex.DecodeString("6ba7b81" + fmt.Sprint(i) + "9dad11d180b400c04fd430c8")
		u := &uuidValue{}
		copy(u.b[:], b)
		members[name] = u
	}
	return module("uuid", map[string]fn{"uuid4": uuid4, "uuid5": uuidNamed(5), "uuid3": uuidNamed(3)}, members)
}

func uuid4(t *thread, a args) (obj, error) {
	r, err := source(t)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 16)
	for range 2 {
		n := r.Uint64()
		for i := range 8 {
			b = append(b, byte(n>>(8*i)))
		}
	}
	return newUUIDOf(b, 4), a.Bind("uuid4", "")
}

func uuidNamed(version byte) fn {
	return func(_ *thread, a args) (obj, error) {
		var ns, name obj
		if err := a.Bind("uuid5", "namespace name", &ns, &name); err != nil {
			return nil, err
		}
		u, ok := ns.(*uuidValue)
		if !ok {
			return nil, object.TypeErrorf("the namespace must be a UUID, not %s", ns.TypeName())
		}
		s, err := strArg(name, "uuid5")
		if err != nil {
			return nil, err
		}
		data := append(append([]byte(nil), u.b[:]...), s...)
		if version == 3 {
			sum := md5.Sum(data)
			return newUUIDOf(sum[:], version), nil
		}
		sum := sha1.Sum(data)
		return newUUIDOf(sum[:16], version), nil
	}
}

func newUUID(_ *thread, a args) (obj, error) {
	s, err := bindStr(a, "UUID", "hex")
	if err != nil {
		return nil, err
	}
	s = strings.NewReplacer("urn:", "", "uuid:", "", "-", "", "{", "", "}", "").Replace(s)
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 16 {
		return nil, object.ValueErrorf("badly formed hexadecimal UUID string")
	}
	u := &uuidValue{}
	copy(u.b[:], b)
	return u, nil
}
