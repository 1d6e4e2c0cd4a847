package cache

import (
	"cmp"
	"context"
	"slices"
)

// Explanation tells why a call is a hit or not.
type Explanation struct {
	Key      string
	Status   Status   // Hit, Miss, Expired, Uncacheable, Error or Bypass
	Reason   string   // as in Outcome
	Material Material // of the call
	// Closest is the entry of the same action that differs in the fewest
	// parts, nil if there is none or the call is a hit. Changed are the parts.
	Closest *Entry
	Changed []Change
}

// Change is a part in which a call differs from an entry.
type Change struct {
	Name    string
	Was, Is string // previews; "" where there is no such part
}

// Explain tells, without running anything, what a call would find and, when it
// finds nothing, which part of its key changed.
func (c *Cache) Explain(ctx context.Context, req Request, p Policy) (Explanation, error) {
	if p.Mode == Off {
		return Explanation{Status: Bypass, Reason: "off"}, nil
	}
	id, err := c.identify(ctx, req, p.Key)
	if err != nil {
		return Explanation{Status: Uncacheable, Reason: err.Error()}, nil
	}
	e := Explanation{Key: id.text}
	for _, part := range id.parts {
		e.Material = append(e.Material, part.component())
	}
	_, outcome, err := c.find(ctx, &call{req: req, policy: p, id: id})
	if err != nil {
		e.Status, e.Reason = Error, errorReason(err)
		return e, nil
	}
	e.Status, e.Reason = outcome.Status, outcome.Reason
	if e.Status == Hit {
		return e, nil
	}
	return e, c.closest(ctx, &e, id.key)
}

// closest finds the entry that is most like the call.
func (c *Cache) closest(ctx context.Context, e *Explanation, k Key) error {
	action, _ := e.Material.find(partAction)
	for entry, err := range c.List(ctx, Selector{Agent: k.Namespace, Shared: k.Namespace == Shared, Pattern: "*"}) {
		if err != nil {
			return err
		}
		if was, _ := entry.Material.find(partAction); was.Digest != action.Digest {
			continue
		}
		changed := e.Material.changes(entry.Material)
		newer := e.Closest != nil && len(changed) == len(e.Changed) && entry.CreatedAt.After(e.Closest.CreatedAt)
		if e.Closest == nil || len(changed) < len(e.Changed) || newer {
			e.Closest, e.Changed = entry, changed
		}
	}
	return nil
}

// changes returns the parts in which m differs from older material, by name.
func (m Material) changes(old Material) []Change {
	var changed []Change
	for _, is := range m {
		if was, ok := old.find(is.Name); !ok || was.Digest != is.Digest {
			changed = append(changed, Change{Name: is.Name, Was: was.Preview, Is: is.Preview})
		}
	}
	for _, was := range old {
		if _, ok := m.find(was.Name); !ok {
			changed = append(changed, Change{Name: was.Name, Was: was.Preview})
		}
	}
	slices.SortFunc(changed, func(a, b Change) int { return cmp.Compare(a.Name, b.Name) })
	return changed
}
