-- Puts a row. KEYS[3] is the row; returns 1 when it is created, 0 when it is
-- overwritten, -1 when the condition does not hold.
local row = KEYS[3]
local id, updated, expires, heads = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local metadata, value = ARGV[5], ARGV[6]
local absent, wanted, ttl, terms = ARGV[7] == '1', ARGV[8], ARGV[9], ARGV[10]

local old = redis.call('HMGET', row, 'h', 'i')
local created, _, _, ends, revision = fields(old[1])
local fresh = not created or expired(ends, updated)
if absent and not fresh or wanted ~= '0' and wanted ~= revision then return -1 end

local was = {}
if old[1] then was = members(old[2] or '', id) end
if fresh then
  created = updated
else -- the head of its creation is the first
  heads = string.sub(old[2], 1, HEAD) .. string.sub(heads, HEAD + 1)
end
move(was, members(heads, id))
local h = table.concat({created, updated, updated, expires, change(), #value}, ' ')
redis.call('HSET', row, 'h', h, 'i', heads, 'm', metadata, 'v', value)
find(id, terms)
if ttl ~= '0' then
  redis.call('PEXPIRE', row, ttl)
elseif old[1] then
  redis.call('PERSIST', row)
end
return fresh and 1 or 0
