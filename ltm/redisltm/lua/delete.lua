-- Deletes rows, from KEYS[3] on. ARGV holds for each its id and the revision
-- that it must have, 0 for any. Returns 1 or 0 for each.
local deleted = {}
for i = 3, #KEYS do
  local id, wanted = ARGV[2 * i - 5], ARGV[2 * i - 4]
  local old = redis.call('HMGET', KEYS[i], 'h', 'i')
  local _, _, _, _, revision = fields(old[1])
  local hit = old[1] and (wanted == '0' or wanted == revision)
  if hit then
    drop(KEYS[i], id, old[2])
    change()
  end
  deleted[#deleted + 1] = hit and 1 or 0
end
return deleted
