package cache

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// Request is a call that may be cached.
type Request struct {
	// Action is the canonical name of the action, Version that of its Spec.
	Action  string
	Version int
	// Args is the input of the action after decoding, defaults included: an
	// object. It may hold secrets.
	Args value.Value
	// Namespace is the agent's own, see DefaultNamespace.
	Namespace string
	// AgentID tells apart agents that have no name of their own; "" for those
	// that have one. It only counts in the agent's own namespace.
	AgentID string
	// Secret returns the text of a secret. Nil: a call with secrets has no key.
	Secret func(name string) (string, error)
	// HashFile streams a file through SHA-256, StatFile tells cheaply whether
	// it is still the same: then it returns an equal stamp. Nil: without
	// HashFile the strategy file_content finds no key, without StatFile the
	// file is hashed once more before the result is stored.
	HashFile func(ctx context.Context, uri string) (FileHash, error)
	StatFile func(ctx context.Context, uri string) (stamp string, err error)
	// Cost tells what a result cost, if that is known. Nil: it is not.
	Cost func(result value.Value) (float64, bool)
}

// FileHash is what HashFile found out.
type FileHash struct {
	Hash  string // SHA-256 in hex
	Size  int64
	Stamp string // changes when the file does; see Request.StatFile
}

// identity is what a call is known by.
type identity struct {
	key   Key
	text  string // of key
	parts []part // of what the key is made
	who   []part // those of parts that are compared on every hit
	file  string // with ByFile: the file's URI
	hash  FileHash
}

// maxWords is the longest custom key, in bytes.
const maxWords = 4096

// builder makes an identity.
type builder struct {
	Request
	policy KeyPolicy
	known  func(action string) bool
	id     identity
	doc    []value.Member // what is hashed
}

// identify returns what a call is known by. An error says why it has no key.
func (c *Cache) identify(ctx context.Context, req Request, p KeyPolicy) (*identity, error) {
	if len(value.SecretNames(value.List(req.Args, p.Custom.Value, p.Source.Value, value.List(p.Vary...)))) > 0 {
		return c.identifySecret(ctx, req, p)
	}
	b := &builder{Request: req, policy: p, known: c.known}
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
	b := &builder{Request: req, policy: p, known: c.known}
	b.doc = append(b.doc, value.M("secrets", value.List(h.paths...)))
	if err := b.build(ctx, shown); err != nil {
		return nil, err
	}
	return &b.id, nil
}

// build makes the identity; shown are the arguments as they may be previewed.
func (b *builder) build(ctx context.Context, shown value.Value) error {
	namespace := b.Namespace
	if b.policy.Namespace != "" {
		namespace = b.policy.Namespace
	}
	if b.policy.Shared {
		namespace = Shared
	}
	b.identityParts()
	b.id.key = Key{Namespace: namespace, Action: b.Action}
	rest, err := b.rest(ctx, shown)
	if err != nil {
		return err
	}
	b.id.key.Rest = rest
	b.id.parts = append(b.id.who[:len(b.id.who):len(b.id.who)], b.id.parts...)
	b.id.text = b.id.key.String()
	if !utf8.ValidString(b.id.text) {
		return errors.New("the key is not valid UTF-8")
	}
	return nil
}

// identityParts notes the parts that tell whose result an entry is.
func (b *builder) identityParts() {
	b.who(partAction, value.String(b.Action))
	b.who(partActionVersion, value.Int(int64(b.Version)))
	if b.policy.Version != "" {
		b.who(partVersion, value.String(b.policy.Version))
	}
	if b.AgentID != "" && b.policy.Namespace == "" && !b.policy.Shared {
		b.who(partAgent, value.String(b.AgentID))
	}
	for i, v := range b.policy.Vary {
		b.who(fmt.Sprintf("%s%d", partVary, i), v)
	}
}

func (b *builder) who(name string, v value.Value) {
	b.id.who = append(b.id.who, part{name: name, hashed: v, shown: v})
}

func (b *builder) part(name string, hashed, shown value.Value) {
	b.id.parts = append(b.id.parts, part{name: name, hashed: hashed, shown: shown})
}

// rest returns the last part of the key.
func (b *builder) rest(ctx context.Context, shown value.Value) (string, error) {
	switch b.policy.Strategy {
	case ByCustom:
		return b.custom(shown)
	case BySHA256:
		return b.source(shown)
	case ByFile:
		return b.file(ctx, shown)
	default:
		return b.digest(b.policy.Args.apply(b.Args), shown)
	}
}

// custom returns the user's own words.
func (b *builder) custom(shown value.Value) (string, error) {
	o := b.policy.Custom
	if o.Err != nil {
		return "", fmt.Errorf("key: %w", o.Err)
	}
	words := o.Value.Text()
	switch o.Value.Kind() {
	case value.KindNull:
		return "", errors.New("key: it is null; a missing value never becomes a key")
	case value.KindList, value.KindObject:
		return "", fmt.Errorf("key: want text, have %s", o.Value.Kind())
	case value.KindString:
	default:
		words = o.Value.String()
	}
	b.id.key = ReadKey(words, b.id.key.Namespace, b.known)
	switch {
	case strings.TrimSpace(b.id.key.Rest) == "":
		return "", errors.New("key: it is empty; a missing value never becomes a key")
	case len(words) > maxWords:
		return "", fmt.Errorf("key: it has %d bytes, more than %d; pipe it through sha256", len(words), maxWords)
	}
	b.part("key", value.String(words), value.String(words))
	b.argParts(b.Args, shown)
	return b.id.key.Rest, nil
}

// source hashes a value, and the arguments unless none takes part.
func (b *builder) source(shown value.Value) (string, error) {
	o, args := b.policy.Source, b.Args
	if o.Err != nil {
		return "", fmt.Errorf("key_source: %w", o.Err)
	}
	v := o.Value
	if !b.policy.SourceIsValue {
		name := o.Value.Text()
		found, ok := args.Get(name)
		if !ok {
			return "", fmt.Errorf("key_source: the call has no argument %q", name)
		}
		v, args = found, args.Without(name)
	}
	if v.IsNull() || v.Kind() == value.KindString && v.Text() == "" {
		return "", errors.New("key_source: it is empty; a missing value never becomes a key")
	}
	b.part("source", v, v)
	if b.policy.Args.None && b.alone() {
		sum, err := v.Digest()
		return hex.EncodeToString(sum[:]), err
	}
	b.doc = append(b.doc, value.M("source", v))
	return b.digest(b.policy.Args.apply(args), shown)
}

// file hashes a file, and the arguments but its path unless none takes part.
func (b *builder) file(ctx context.Context, shown value.Value) (string, error) {
	if b.policy.Source.Err != nil {
		return "", fmt.Errorf("key_source: %w", b.policy.Source.Err)
	}
	name := b.policy.Source.Value.Text()
	if b.policy.Source.Value.IsNull() {
		name = "file"
	}
	path, ok := b.Args.Get(name)
	if !ok {
		return "", fmt.Errorf("key_source: the call has no argument %q", name)
	}
	uri, ok := path.AsString()
	switch {
	case !ok || uri == "":
		return "", fmt.Errorf("argument %q: want the path of a file, have %s", name, preview(path))
	case b.HashFile == nil:
		return "", errors.New("there is no storage to read files from")
	}
	hash, err := b.HashFile(ctx, uri)
	if err != nil {
		return "", fmt.Errorf("argument %q: %w", name, err)
	}
	b.id.file, b.id.hash = uri, hash
	b.part("file", value.String(hash.Hash), value.String(uri))
	if b.policy.Args.None && b.alone() {
		return hash.Hash, nil
	}
	b.doc = append(b.doc, value.M("file", value.String(hash.Hash)))
	return b.digest(b.policy.Args.apply(b.Args.Without(name)), shown)
}

// alone tells whether nothing takes part but a single value.
func (b *builder) alone() bool {
	return len(b.doc) == 0 && b.policy.Version == "" && len(b.policy.Vary) == 0
}

// digest hashes the arguments that take part and all that was noted before.
func (b *builder) digest(args, shown value.Value) (string, error) {
	b.argParts(args, shown)
	b.doc = append(b.doc,
		value.M("action", value.String(b.Action)),
		value.M("version", value.Int(int64(b.Version))),
		value.M("args", args))
	if b.policy.Version != "" {
		b.doc = append(b.doc, value.M("edition", value.String(b.policy.Version)))
	}
	if len(b.policy.Vary) > 0 {
		b.doc = append(b.doc, value.M("vary", value.List(b.policy.Vary...)))
	}
	sum, err := value.Object(b.doc...).Digest()
	if err != nil {
		return "", fmt.Errorf("no key: %w", err)
	}
	return hex.EncodeToString(sum[:]), nil
}

// argParts notes the arguments that take part.
func (b *builder) argParts(args, shown value.Value) {
	for name, v := range args.Members() {
		b.part(partArgs+name, v, shown.At(name))
	}
}
