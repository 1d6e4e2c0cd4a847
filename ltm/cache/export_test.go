package cache

// Settle waits for what goes on in the background.
func (c *Cache) Settle() {
	c.refreshes.Wait()
	c.background.Wait()
}

// FlushTouches notes now in the store which entries were read.
func (c *Cache) FlushTouches() {
	c.flushTouches(false)
	c.Settle()
}

// TouchEvery is how often at most it is noted that an entry was read.
const TouchEvery = touchEvery
