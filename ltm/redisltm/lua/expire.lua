-- Deletes at most ARGV[3] rows whose member comes before ARGV[2], and sweeps a
-- part of the index of size ARGV[4]. ARGV[1] is what rows begin with. Returns
-- how many it deleted and how many it would look at again for more.
local rows, bound, limit, part = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local found = redis.call('ZRANGEBYLEX', index, '[e', '(' .. bound, 'LIMIT', 0, limit)
local deleted = 0
for _, member in ipairs(found) do
  local head, id = split(member)
  local old = redis.call('HMGET', rows .. id, 'h', 'i')
  if old[1] and holds(old[2] or '', head) then
    drop(rows .. id, id, old[2])
    deleted = deleted + 1
  else
    redis.call('ZREM', index, member)
    sweep(rows, 'k' .. id)
  end
end
if deleted > 0 then change() end

local place = 'sweep' .. index
local page = redis.call('ZSCAN', index, redis.call('HGET', store, place) or '0', 'COUNT', part)
for i = 1, #page[2], 2 do sweep(rows, page[2][i]) end
redis.call('HSET', store, place, page[1])
return {deleted, #found}
