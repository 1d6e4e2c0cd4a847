package value_test

import (
	"fmt"
	"testing"

	"github.com/tea-agents/tea/value"
)

// document draws up an object of about size bytes that looks like a stored
// reply: text, numbers and small nested objects.
func document(size int) value.Value {
	const entry = 256 // bytes, about
	entries := make([]value.Value, max(1, size/entry))
	for i := range entries {
		entries[i] = value.Object(
			value.M("id", value.Int(int64(1000+i))),
			value.M("role", value.String("assistant")),
			value.M("score", value.Float(0.125+float64(i))),
			value.M("content", value.String(fmt.Sprintf("reply %d:\n%s", i, "the quick brown fox jumps over the lazy dog, and again over it"))),
			value.M("usage", value.Object(
				value.M("input_tokens", value.Int(512)),
				value.M("output_tokens", value.Int(64)),
				value.M("cached", value.Bool(true)),
			)),
			value.M("tags", value.List(value.String("a"), value.String("naïve"), value.Null())),
		)
	}
	return value.Object(value.M("success", value.Bool(true)), value.M("messages", value.List(entries...)))
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			data := document(size).AppendJSON(nil)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := value.Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParseUnsorted reads objects whose keys stand in the order of
// foreign writers, not in ours.
func BenchmarkParseUnsorted(b *testing.B) {
	data := []byte(`{"usage":{"output_tokens":64,"input_tokens":512},"id":"m1","content":"hello","role":"assistant"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := value.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	for _, size := range []int{1 << 10, 100 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			v := document(size)
			buf := v.AppendJSON(nil)
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				buf = v.AppendJSON(buf[:0])
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	v := document(100 << 10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Canonical(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest2KB(b *testing.B) {
	text := ""
	for len(text) < 200 {
		text += "lorem ipsum "
	}
	items := make([]value.Value, 10)
	for i := range items {
		items[i] = value.Object(value.M("role", value.String("user")), value.M("content", value.String(text)))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := value.List(items...).Digest(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkObject(b *testing.B) {
	sorted := []value.Member{value.M("a", value.Int(1)), value.M("b", value.Int(2)), value.M("c", value.Int(3)), value.M("d", value.Int(4))}
	mixed := []value.Member{sorted[2], sorted[0], sorted[3], sorted[1]}
	for name, members := range map[string][]value.Member{"sorted": sorted, "mixed": mixed} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				value.Object(members...)
			}
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	state := document(1<<10).With("visits", value.Int(3)).With("name", value.String("x"))
	delta := value.Object(value.M("answer", value.String("y")), value.M("visits", value.Int(4)))
	b.ReportAllocs()
	for b.Loop() {
		state.Merge(delta)
	}
}

func BenchmarkWith(b *testing.B) {
	state := document(1 << 10)
	b.ReportAllocs()
	for b.Loop() {
		state.With("answer", value.Null())
	}
}
