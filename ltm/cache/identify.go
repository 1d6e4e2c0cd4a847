package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// identity is what a call is known by.
type identity struct {
	key   Key
	text  string // of key
	parts []part // of what the key is made
	who   []part // the first ones of parts, which are compared on every hit
	file  string // with ByFile: the file's URI
	hash  FileHash
}

// builder makes an identity.
type builder struct {
	Request
	policy KeyPolicy
	known  func(action string) bool
	hashes *hashes
	id     identity
	doc    []value.Member // what is hashed
}

// identify returns what a call is known by. An error says why it has no key.
func (c *Cache) identify(ctx context.Context, req Request, p KeyPolicy) (*identity, error) {
	if len(value.SecretNames(value.List(req.Args, p.Custom.Value, p.Source.Value, value.List(p.Vary...)))) > 0 {
		return c.identifySecret(ctx, req, p)
	}
	b := &builder{Request: req, policy: p, known: c.known, hashes: &c.hashes}
	if err := b.build(ctx, req.Args); err != nil {
		return nil, err
	}
	return &b.id, nil
}

// identifySecret is identify for a call that holds secrets.
func (c *Cache) identifySecret(ctx context.Context, req Request, p KeyPolicy) (*identity, error) {
	h, err := c.hider(ctx, req)
	if err != nil {
		return nil, err
	}
	shown := req.Args
	hide := func(name string, v *value.Value) {
		hidden, e := h.hide(name, *v)
		err, *v = errors.Join(err, e), hidden
	}
	vary := value.List(p.Vary...)
	hide("args", &req.Args)
	hide("key", &p.Custom.Value)
	hide("key_source", &p.Source.Value)
	hide("vary", &vary)
	if err != nil {
		return nil, err
	}
	p.Vary = nil
	for _, v := range vary.Items() {
		p.Vary = append(p.Vary, v)
	}
	b := &builder{Request: req, policy: p, known: c.known, hashes: &c.hashes}
	b.doc = append(b.doc, value.M("secrets", value.List(h.paths...)))
	if err := b.build(ctx, shown); err != nil {
		return nil, err
	}
	return &b.id, nil
}

// mostOthers is how many parts there are beside those for vary and arguments.
const mostOthers = 5

// build makes the identity; shown are the arguments as they may be previewed.
func (b *builder) build(ctx context.Context, shown value.Value) error {
	namespace := b.Namespace
	if b.policy.Namespace != "" {
		namespace = b.policy.Namespace
	}
	if b.policy.Shared {
		namespace = Shared
	}
	if namespace == AllNamespaces {
		return fmt.Errorf("namespace: %q is no namespace to store in", namespace)
	}
	b.id.parts = make([]part, 0, mostOthers+len(b.policy.Vary)+b.Args.Len())
	b.identityParts()
	b.id.who = slices.Clip(b.id.parts)
	b.id.key = Key{Namespace: namespace, Action: b.Action}
	rest, err := b.rest(ctx, shown)
	if err != nil {
		return err
	}
	b.id.key.Rest = rest
	b.id.text = b.id.key.String()
	if !utf8.ValidString(b.id.text) {
		return errors.New("the key is not valid UTF-8")
	}
	return nil
}

// identityParts notes the parts that tell whose result an entry is.
func (b *builder) identityParts() {
	who := func(name string, v value.Value) { b.part(name, v, v) }
	who(partAction, value.String(b.Action))
	who(partActionVersion, value.Int(int64(b.Version)))
	if b.policy.Version != "" {
		who(partVersion, value.String(b.policy.Version))
	}
	if b.AgentID != "" && b.policy.Namespace == "" && !b.policy.Shared {
		who(partAgent, value.String(b.AgentID))
	}
	for i, v := range b.policy.Vary {
		who(fmt.Sprintf("%s%d", partVary, i), v)
	}
}

func (b *builder) part(name string, hashed, shown value.Value) {
	b.id.parts = append(b.id.parts, part{name: name, hashed: hashed, shown: shown})
}
