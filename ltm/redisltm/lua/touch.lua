-- Notes the time ARGV[1], whose head is ARGV[2], as that of the last access of
-- the rows from KEYS[3] on, of which the ids follow.
local at, head = ARGV[1], ARGV[2]
for i = 3, #KEYS do
  local id = ARGV[i]
  local old = redis.call('HMGET', KEYS[i], 'h', 'i')
  local created, updated, accessed, expires, revision, size = fields(old[1])
  if created and tonumber(accessed) < tonumber(at) then
    local heads = old[2]
    local was = string.sub(heads, 2 * HEAD + 1, 3 * HEAD) -- the third head
    move({was .. id}, {head .. id})
    heads = string.sub(heads, 1, 2 * HEAD) .. head .. string.sub(heads, 3 * HEAD + 1)
    local h = table.concat({created, updated, at, expires, revision, size}, ' ')
    redis.call('HSET', KEYS[i], 'h', h, 'i', heads)
  end
end
return 1
