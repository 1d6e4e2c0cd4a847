-- Marks the store with its format: change does it, also for a store of an older
-- one. KEYS[2] is the index of the user space: without it there are no rows that
-- lack words. A script runs alone, so processes that start at once are safe.
if format ~= FORMAT then
  change()
  if redis.call('EXISTS', index) == 0 then redis.call('HDEL', store, 'wordless') end
end
return 1
