package llm

import (
	_ "embed" // for the table
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

//go:embed prices.csv
var priceTable string

// Price is what a million tokens cost, in USD.
type Price struct {
	Input  float64 // of the prompt
	Cached float64 // of the prompt, from the provider's cache
	Output float64 // of the answer
}

// Cost returns what an answer of a model cost, in USD, and whether its price
// is known. prices are the user's own, an object {model: {input, output,
// cached}} in USD per million tokens, or null; they come before the table of
// this package. A model's name may have a date or "latest" after the one that
// is listed. Cached tokens whose price is not said cost as much as others.
func Cost(prices value.Value, model string, u Usage) (usd float64, known bool) {
	p, ok := PriceOf(prices, model, u.PromptTokens)
	if !ok {
		return 0, false
	}
	cached := min(u.CachedTokens, u.PromptTokens)
	usd = p.Input*float64(u.PromptTokens-cached) + p.Cached*float64(cached) + p.Output*float64(u.CompletionTokens)
	return usd / 1e6, true
}

// PriceOf returns the price of a model for a prompt of so many tokens, and
// whether it is known; see Cost.
func PriceOf(prices value.Value, model string, promptTokens int64) (Price, bool) {
	if p, ok := userPrice(prices, model); ok {
		return p, true
	}
	var best Price
	length, found := 0, false
	for line := range strings.Lines(priceTable) {
		name, rest, _ := strings.Cut(line, ",")
		if len(name) < length || len(name) == length && found || !isModel(model, name) {
			continue
		}
		upTo, rest, _ := strings.Cut(rest, ",")
		if limit, err := strconv.ParseInt(upTo, 10, 64); err == nil && promptTokens > limit {
			if len(name) > length {
				length, found = len(name), false // a shorter name's price is another model's
			}
			continue
		}
		if p, ok := parsePrice(strings.TrimSpace(rest)); ok {
			best, length, found = p, len(name), true
		}
	}
	return best, found
}

// parsePrice reads input,cached,output.
func parsePrice(text string) (Price, bool) {
	fields := strings.Split(text, ",")
	if len(fields) != 3 {
		return Price{}, false
	}
	var n [3]float64
	for i, f := range fields {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return Price{}, false
		}
		n[i] = x
	}
	return Price{Input: n[0], Cached: n[1], Output: n[2]}, true
}

// isModel tells whether model is the listed one, by itself or with a date or
// "latest" at its end.
func isModel(model, listed string) bool {
	rest, ok := strings.CutPrefix(model, listed)
	if !ok || rest == "" {
		return ok
	}
	if rest == "-latest" {
		return true
	}
	digits := 0
	for i, c := range rest {
		switch {
		case i == 0 && c != '-' && c != '@':
			return false
		case c >= '0' && c <= '9':
			digits++
		case i > 0 && c != '-':
			return false
		}
	}
	return digits >= 3 // -0613, -001, -20250514, -2024-08-06; but -5 is another model
}

// userPrice finds the longest name among the user's own.
func userPrice(prices value.Value, model string) (Price, bool) {
	best, length := value.Null(), -1
	for name, p := range prices.Members() {
		if len(name) > length && isModel(model, name) {
			best, length = p, len(name)
		}
	}
	input, ok := best.At("input").AsFloat()
	if !ok {
		return Price{}, false
	}
	p := Price{Input: input, Cached: input}
	if cached, ok := best.At("cached").AsFloat(); ok {
		p.Cached = cached
	}
	p.Output, ok = best.At("output").AsFloat()
	return p, ok
}

// CheckPrices returns what is wrong with the prices that a user gives, as an
// *Error of kind InvalidInput, or nil.
func CheckPrices(prices value.Value) error {
	var p problems
	if prices.IsNull() {
		return nil
	}
	if prices.Kind() != value.KindObject {
		p.add("prices must be an object {model: {input, output, cached}}, not a %s", prices.Kind())
	}
	for model, price := range prices.Members() {
		path := "prices[" + strconv.Quote(model) + "]"
		if price.Kind() != value.KindObject {
			p.add("%s must be an object {input, output, cached}, not a %s", path, price.Kind())
			continue
		}
		p.unknown(path, price, "input", "output", "cached")
		for _, key := range []string{"input", "output", "cached"} {
			n, given := price.Get(key)
			if !given && key == "cached" {
				continue
			}
			if f, ok := n.AsFloat(); !ok || f < 0 {
				p.add("%s.%s must be a number of USD per million tokens", path, key)
			}
		}
	}
	return p.err()
}
