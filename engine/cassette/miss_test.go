package cassette

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/value"
)

// rich is a request as real ones are.
const rich = `{
  "operation": "chat", "provider": "openai", "model": "gpt-4o", "temperature": 0.7, "max_tokens": 100, "seed": 1,
  "stop": ["END"], "top_p": 1,
  "messages": [
    {"role": "system", "content": "You are a careful assistant."},
    {"role": "user", "content": "What is the capital of France?"},
    {"role": "assistant", "content": "Paris."},
    {"role": "user", "content": "And of Spain?"}
  ],
  "tools": [{"name": "search", "description": "Searches.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}],
  "tool_choice": "auto", "response_format": {"type": "text"}
}`

// TestTheChangedLineIsShown makes one change after the other to a recorded
// request.
func TestTheChangedLineIsShown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	request := func(text string) Request {
		v := mustParse(t, text)
		return Request{Provider: "openai", Model: v.At("model").Text(), Endpoint: "llm.call", Key: v}
	}
	other := strings.ReplaceAll(strings.ReplaceAll(rich, "capital", "river"), "Spain", "Wales")
	record(t, path, Options{}, call(request(other), says("other")), call(request(rich), says("Madrid")), call(request(`{"operation":"embed","input":["x"]}`), says("")))
	changes := []struct{ old, new, removed, added string }{
		{`"temperature": 0.7`, `"temperature": 0.7000001`, `"temperature": 0.7,`, `"temperature": 0.7000001,`},
		{`"gpt-4o"`, `"gpt-4o-mini"`, `"model": "gpt-4o"`, `"model": "gpt-4o-mini"`},
		{`"max_tokens": 100`, `"max_tokens": 101`, `"max_tokens": 100`, `"max_tokens": 101`},
		{`"seed": 1`, `"seed": 2`, `"seed": 1`, `"seed": 2`},
		{`"seed": 1,`, ``, `"seed": 1`, ``},
		{`"top_p": 1`, `"top_p": 1.0`, `"top_p": 1`, `"top_p": 1.0`},
		{`["END"]`, `["END", "STOP"]`, `"END"`, `"STOP"`},
		{`careful`, `careless`, `careful`, `careless`},
		{`careful assistant`, `careful  assistant`, `careful assistant`, `careful  assistant`},
		{`And of Spain?`, `And of Italy?`, `Spain`, `Italy`},
		{`And of Spain?`, `And of Spain?\n`, `Spain?"`, `Spain?\n"`},
		{`Paris.`, `Rome.`, `Paris.`, `Rome.`},
		{`"role": "assistant"`, `"role": "user"`, `"role": "assistant"`, `"role": "user"`},
		{`{"role": "assistant", "content": "Paris."},`, ``, `Paris.`, ``},
		{`"name": "search"`, `"name": "find"`, `"name": "search"`, `"name": "find"`},
		{`"Searches."`, `"Searches the web."`, `Searches.`, `Searches the web.`},
		{`"type": "string"`, `"type": "integer"`, `"type": "string"`, `"type": "integer"`},
		{`, "required": ["q"]`, ``, `"required"`, ``},
		{`"tool_choice": "auto"`, `"tool_choice": "none"`, `"auto"`, `"none"`},
		{`{"type": "text"}`, `{"type": "json_object"}`, `"text"`, `"json_object"`},
		{`"provider": "openai"`, `"provider": "azure"`, `"openai"`, `"azure"`},
		{`"stop": ["END"]`, `"stop": ["END"], "user": "me"`, ``, `"user": "me"`},
	}
	wanted, err := hash(request(rich).Key, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		t.Run(c.old+" "+c.new, func(t *testing.T) {
			t.Parallel()
			_, err := begin(t, path, Options{Mode: Replay}).Lookup(request(strings.Replace(rich, c.old, c.new, 1)))
			var miss *ReplayMissError
			if !errors.As(err, &miss) || miss.Closest == nil || miss.Closest.Hash != wanted {
				t.Fatalf("%v", err)
			}
			if !hasLine(miss.Diff, "-", c.removed) || !hasLine(miss.Diff, "+", c.added) {
				t.Errorf("want -%s +%s in\n%s", c.removed, c.added, miss.Diff)
			}
			if !strings.Contains(err.Error(), miss.Diff) || !strings.Contains(err.Error(), ShortHash(wanted)) {
				t.Errorf("the message lacks the diff or the hash:\n%v", err)
			}
		})
	}
}

// hasLine tells whether a diff has a line with that sign and text; no text
// wants none.
func hasLine(diff, sign, text string) bool {
	if text == "" {
		return true
	}
	for line := range strings.SplitSeq(diff, "\n") {
		if strings.HasPrefix(line, sign) && strings.Contains(line, text) {
			return true
		}
	}
	return false
}

func TestTheDiffIsBounded(t *testing.T) {
	t.Parallel()
	big := func(word string) Request {
		var items []value.Value
		for i := range 5000 {
			items = append(items, value.String(fmt.Sprint(word, i)))
		}
		return Request{Key: value.List(items...)}
	}
	path := filepath.Join(t.TempDir(), "c.json")
	record(t, path, Options{}, call(big("a"), says("")))
	_, err := begin(t, path, Options{Mode: Replay}).Lookup(big("b"))
	var miss *ReplayMissError
	if !errors.As(err, &miss) || strings.Count(miss.Diff, "\n")+1 != maxDiff {
		t.Errorf("%d lines, want %d", strings.Count(miss.Diff, "\n")+1, maxDiff)
	}
}

func TestALongLineIsShownWhereItChanged(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lorem ipsum ä ", 1000)
	ask := func(word string) Request {
		return Request{Key: value.Object(value.M("prompt", value.String(long+word+long)))}
	}
	path := filepath.Join(t.TempDir(), "c.json")
	record(t, path, Options{}, call(ask("OLD"), says("")))
	_, err := begin(t, path, Options{Mode: Replay}).Lookup(ask("NEW"))
	var miss *ReplayMissError
	if !errors.As(err, &miss) || !hasLine(miss.Diff, "-", "OLD") || !hasLine(miss.Diff, "+", "NEW") || len(miss.Diff) > 3*maxLine {
		t.Errorf("%v", err)
	}
}

func TestAMissOfAnEmptyCassette(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	f := &file{path: path, form: formYAML}
	if err := f.replace(Header{Format: Format}, nil, false); err != nil {
		t.Fatal(err)
	}
	_, err := begin(t, path, Options{Mode: Replay}).Lookup(ask("a"))
	var miss *ReplayMissError
	if !errors.As(err, &miss) || miss.Closest != nil || strings.Contains(err.Error(), "Closest") {
		t.Errorf("%v", err)
	}
}
