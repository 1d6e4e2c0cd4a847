package tests

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/value"
)

// canaries returns n secrets of 8 to 64 bytes, of several alphabets. They are
// the same in every run.
func canaries(n int) []string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	alphabets := []string{
		"0123456789abcdef", letters, letters + "+/", letters + "-_", letters + `"'\`, letters + " %&=?#+/",
		letters + "<>&{}[]:,;|$~^`!@*().", "äöüßéèñçøåðþλωжщ漢字かな한글🫖🍵" + letters, "漢字仮名交じり文東京茶道具一期会", "0123456789",
	}
	random := rand.New(rand.NewPCG(2, 3))
	out := make([]string, n)
	for i := range out {
		alphabet := []rune(alphabets[i%len(alphabets)])
		size := 8 + random.IntN(57)
		var b strings.Builder
		for b.Len() < 8 || b.Len() < size-4 {
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		out[i] = "q" + b.String()[:b.Len()-trimmed(b.String())] + "z" // no blanks at the ends: headers lose them
	}
	return out
}

// trimmed is how many bytes at the end of s belong to its last character.
func trimmed(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return n
}

// echoServer says again what it is told: as a plain HTTP service, and as a model.
type echoServer struct{ *httptest.Server }

func newEcho(tb testing.TB) *echoServer {
	tb.Helper()
	s := &echoServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		w.Header()["Date"] = nil // a model that is told of it is asked something else every second
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			echoModel(w, r, body)
			return
		}
		echoHTTP(w, r, string(body))
	}))
	tb.Cleanup(s.Close)
	return s
}

// heard is everything that could be of interest in a request.
func heard(r *http.Request, body string) string {
	var b strings.Builder
	for _, name := range []string{"Authorization", "X-Canary", "X-Api-Key"} {
		b.WriteString(r.Header.Get(name) + "\n")
	}
	for _, list := range r.URL.Query() {
		b.WriteString(strings.Join(list, "\n") + "\n")
	}
	return b.String() + r.URL.RawQuery + "\n" + body
}

func echoHTTP(w http.ResponseWriter, r *http.Request, body string) {
	said := heard(r, body)
	w.Header().Set("X-Echo", strings.Join(strings.Fields(said), " "))
	if r.URL.Path == "/fail" {
		form, _ := url.ParseQuery(body)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "no tea for "+form.Get("secret")+" or "+said)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, spelled(said, heard(r, "")))
}

// spelled is a text in JSON as Go, Python and PHP write it, and in other forms;
// short stands in base64.
func spelled(said, short string) string {
	html, _ := json.Marshal(said)
	return fmt.Sprintf(`{"plain":%s,"html":%s,"ascii":"%s","slashes":%s,"url":%q,"lower":%q,"b64":["%s","%s"]}`,
		value.String(said), html, ascii(said), strings.ReplaceAll(value.String(said).String(), "/", `\/`),
		url.QueryEscape(said), lowerHex(url.QueryEscape(said)),
		base64.StdEncoding.EncodeToString([]byte(short)), base64.URLEncoding.EncodeToString([]byte("x"+short)))
}

// ascii escapes a text for JSON so that only ASCII is left.
func ascii(s string) string {
	var b strings.Builder
	quoted := value.String(s).String()
	for _, r := range quoted[1 : len(quoted)-1] {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// lowerHex writes escapes as %2f in the place of %2F.
func lowerHex(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == '%' && i+2 < len(b) {
			copy(b[i:i+3], strings.ToLower(string(b[i:i+3])))
		}
	}
	return string(b)
}

// echoModel answers by the first word of the last message.
func echoModel(w http.ResponseWriter, r *http.Request, body []byte) {
	question, err := value.Parse(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	said := heard(r, "")
	for _, m := range question.At("messages").Items() {
		said += m.At("content").Text() + "\n"
	}
	verb, secret, _ := strings.Cut(lastText(question), " ")
	a := llmtest.Answer{Text: "I heard " + said, Header: http.Header{"X-Echo": {strings.Join(strings.Fields(said), " ")}}}
	switch verb {
	case "say":
		a.Body = fmt.Sprintf(`{"id":"1","object":"chat.completion","model":"gpt-4o","system_fingerprint":"%s","echo":%s,`+
			`"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"%s"}}]}`,
			ascii(said), spelled(said, said), ascii(said))
	case "split":
		a.Chunks = splits(secret)
	case "scatter":
		a.Chunks = strings.Split("It is "+secret+", "+secret+".", "")
	case "tools":
		if question.At("messages").Index(question.At("messages").Len()-1).At("role").Text() != "tool" {
			arguments := value.Object(value.M("json", value.Object(value.M("text", value.String("I heard "+said))))).String()
			a.Tools = []llmtest.ToolCall{{Name: "note", Arguments: arguments}, {Name: "note", Arguments: `{"json":"` + ascii(said) + `"}`}}
		}
	case "refuse":
		a = llmtest.Answer{Status: http.StatusBadRequest, Error: "no such thing as " + said, Code: secret}
	}
	one(a).ServeHTTP(w, r)
}

// splits cuts a secret once after every character, one copy of it for each cut.
func splits(secret string) []string {
	var chunks []string
	for i := range secret {
		if i > 0 {
			chunks = append(chunks, "a "+secret[:i], secret[i:]+" b ")
		}
	}
	return chunks
}

// leaks says which secrets are in a text, or a half of them if that is long,
// however it may be encoded.
func leaks(text string, secrets []string) []string {
	var found []string
	read := readings(text)
	for _, secret := range secrets {
		for _, how := range slices.Sorted(maps.Keys(read)) {
			read := read[how]
			parts := []string{secret}
			if half := len(secret) / 2; half >= 12 {
				parts = append(parts, secret[:half], secret[half:])
			}
			part := slices.IndexFunc(parts, func(part string) bool { return strings.Contains(read, part) })
			if part >= 0 {
				i := strings.Index(read, parts[part])
				found = append(found, fmt.Sprintf("%q (of %q), %s: …%q…", parts[part], secret, how, read[max(0, i-60):min(len(read), i+len(parts[part])+20)]))
				break
			}
		}
	}
	return found
}

// readings are the ways to read a text.
func readings(text string) map[string]string {
	out := map[string]string{"as it is": text}
	quoted := text
	for i := range 3 {
		if quoted = jsonUnescaped(quoted); quoted == text {
			break
		}
		out[fmt.Sprint("unescaped from JSON ", i+1, " times")] = quoted
	}
	for how, read := range maps.Clone(out) {
		if strings.Contains(read, "%") {
			out[how+", then from a URL"] = urlUnescaped(read, false)
			out[how+", then from a form"] = urlUnescaped(read, true)
		}
	}
	for _, how := range []string{"as it is", "unescaped from JSON 1 times"} {
		if read, ok := out[how]; ok {
			out[how+", then from base64"] = unbase64(read)
		}
	}
	return out
}

// jsonUnescaped replaces the escapes of JSON wherever they stand.
func jsonUnescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	simple := map[byte]string{'"': `"`, '\\': `\`, '/': "/", 'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f"}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if s[i+1] == 'u' {
			if r, n := unescapedRune(s[i:]); n > 0 {
				b.WriteRune(r)
				i += n - 1
				continue
			}
		}
		if plain, ok := simple[s[i+1]]; ok {
			b.WriteString(plain)
			i++
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapedRune reads \uXXXX, or two of them that are one character.
func unescapedRune(s string) (r rune, n int) {
	if len(s) < 6 {
		return 0, 0
	}
	first, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return 0, 0
	}
	if first >= 0xD800 && first < 0xDC00 && len(s) >= 12 && s[6:8] == `\u` {
		if second, err := strconv.ParseUint(s[8:12], 16, 16); err == nil && second >= 0xDC00 && second < 0xE000 {
			return rune(0x10000 + (first-0xD800)<<10 + second - 0xDC00), 12
		}
	}
	return rune(first), 6
}

// urlUnescaped replaces %XX wherever it stands; in a form + is a blank.
func urlUnescaped(s string, form bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		if form && s[i] == '+' {
			b.WriteByte(' ')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unbase64 decodes all that may be base64, at each alignment.
func unbase64(s string) string {
	var b strings.Builder
	standard := strings.NewReplacer("-", "+", "_", "/").Replace(s)
	for _, run := range strings.FieldsFunc(standard, func(r rune) bool {
		return !unicode.In(r, unicode.ASCII_Hex_Digit) && (r > 'z' || !unicode.IsLetter(r)) && r != '+' && r != '/'
	}) {
		for offset := 0; offset < 4 && len(run)-offset >= 8; offset++ {
			part := run[offset:]
			if len(part)%4 == 1 {
				part = part[:len(part)-1]
			}
			if data, err := base64.RawStdEncoding.DecodeString(part); err == nil {
				b.Write(data)
				b.WriteByte(0)
			}
		}
	}
	return b.String()
}

// deltas joins what the pieces of a stream of chat completions say.
func deltas(frames string) string {
	var b strings.Builder
	for line := range strings.Lines(frames) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		v, err := value.Parse([]byte(data))
		if !ok || err != nil {
			continue
		}
		for _, choice := range v.At("choices").Items() {
			b.WriteString(choice.At("delta", "content").Text())
			for _, call := range choice.At("delta", "tool_calls").Items() {
				b.WriteString(call.At("function", "arguments").Text())
			}
		}
	}
	return b.String()
}

// TestLeaksAreFound holds that the search above finds what it is to find.
func TestLeaksAreFound(t *testing.T) {
	t.Parallel()
	for _, secret := range canaries(200) {
		if len(secret) < 8 || len(secret) > 66 {
			t.Errorf("%q has %d bytes", secret, len(secret))
		}
		for _, form := range []string{
			secret, value.String(secret).String(), value.String(value.String(secret).String()).String(), ascii(secret), lowerHex(url.PathEscape(secret)),
			url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte("user:" + secret)), base64.RawURLEncoding.EncodeToString([]byte("to be " + secret + " or")),
		} {
			if len(leaks("before "+form+" after", []string{secret})) == 0 {
				t.Errorf("%q is not found in %q", secret, form)
			}
		}
		if found := leaks("before q"+secret[:3]+" after", []string{secret}); len(found) > 0 {
			t.Error(found)
		}
	}
}
