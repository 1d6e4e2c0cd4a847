package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/value"
)

// maxWords is the longest custom key, in bytes.
const maxWords = 4096

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
		return b.hashes.sum(v)
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
	sum, err := b.hashes.sum(value.Object(b.doc...))
	if err != nil {
		return "", fmt.Errorf("no key: %w", err)
	}
	return sum, nil
}

// argParts notes the arguments that take part.
func (b *builder) argParts(args, shown value.Value) {
	for name, v := range args.Members() {
		b.part(partArgs+name, v, shown.At(name))
	}
}
