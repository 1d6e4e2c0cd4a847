package llmcache

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// topEntries is how many entries Stats names.
const topEntries = 10

// Stats tells what the cache holds and what it saved.
type Stats struct {
	TotalEntries int64
	Bytes        int64 // that the entries take in the store
	Pinned       int64
	// Week is the last seven days, today (in UTC) included; Ever all days.
	Week, Ever Savings
	Top10      []Info       // the entries with the most hits, that first
	ByModel    []ModelStats // sorted by provider and model
}

// ModelStats is the share of a model.
type ModelStats struct {
	Provider, Model string // "" for lookups by key alone that found nothing
	Entries, Bytes  int64
	Ever            Savings
}

// HitRate returns which share of the lookups were hits, and whether there were
// any lookups.
func (s Savings) HitRate() (float64, bool) {
	if s.Lookups == 0 {
		return 0, false
	}
	return float64(s.Hits) / float64(s.Lookups), true
}

// EstUSD returns what the hits saved, as far as it is known, and whether
// anything is known of it: not if there were hits, but no price for any.
func (s Savings) EstUSD() (float64, bool) {
	return s.USD, s.Hits == 0 || s.Unpriced < s.Hits
}

// Stats counts everything, with the counts that this cache has gathered.
func (c *Cache) Stats(ctx context.Context) (Stats, error) {
	infos, err := c.List(ctx)
	if err != nil {
		return Stats{}, err
	}
	var s Stats
	models := map[modelName]*ModelStats{}
	of := func(m modelName) *ModelStats {
		if models[m] == nil {
			models[m] = &ModelStats{Provider: m.Provider, Model: m.Model}
		}
		return models[m]
	}
	for _, i := range infos {
		s.TotalEntries++
		s.Bytes += i.Bytes
		if i.Pinned {
			s.Pinned++
		}
		m := of(modelName{i.Provider, i.Model})
		m.Entries++
		m.Bytes += i.Bytes
	}
	s.Top10 = top(infos)
	if err := c.addDays(ctx, &s, of); err != nil {
		return Stats{}, err
	}
	for _, m := range models {
		s.ByModel = append(s.ByModel, *m)
	}
	slices.SortFunc(s.ByModel, func(a, b ModelStats) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	return s, nil
}

// top returns the entries with the most hits.
func top(infos []Info) []Info {
	hit := slices.DeleteFunc(slices.Clone(infos), func(i Info) bool { return i.HitCount == 0 })
	slices.SortStableFunc(hit, func(a, b Info) int { return cmp.Compare(b.HitCount, a.HitCount) })
	return hit[:min(len(hit), topEntries)]
}

// addDays adds up the counts of all days.
func (c *Cache) addDays(ctx context.Context, s *Stats, of func(modelName) *ModelStats) error {
	today := c.now().UTC()
	first, last := today.AddDate(0, 0, -6).Format(time.DateOnly), today.Format(time.DateOnly)
	for e, err := range records(ctx, c.days) {
		if err != nil {
			return err
		}
		for provider, byModel := range e.Value.Members() {
			for name, counts := range byModel.Members() {
				v := savingsOf(counts)
				m := of(modelName{provider, name})
				m.Ever, s.Ever = m.Ever.plus(v), s.Ever.plus(v)
				if first <= e.Key && e.Key <= last {
					s.Week = s.Week.plus(v)
				}
			}
		}
	}
	return nil
}
