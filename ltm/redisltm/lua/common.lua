-- What every script begins with. KEYS[1] is the hash of the store itself,
-- KEYS[2] the index of the space, both described in layout.go.
local store, index = KEYS[1], KEYS[2]
local HEAD = 9 -- the length of a head

local format = redis.call('HGET', store, 'format')
if format and format ~= FORMAT then
  return redis.error_reply('TEAFORMAT ' .. format)
end

-- fields returns created, updated, accessed, expires, revision and size of a
-- row's h, all nil where it is none.
local function fields(h)
  return string.match(h or '', '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$')
end

local function expired(at, now)
  at = tonumber(at)
  return at ~= 0 and at <= tonumber(now)
end

-- change raises the change counter and returns it. It never falls behind the
-- server's clock, in microseconds, so that no revision comes twice, not even
-- after a crash that lost the last changes, or a flush.
local function change()
  local t = redis.call('TIME')
  local last = tonumber(redis.call('HGET', store, 'revision') or 0)
  local next = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
  redis.call('HSET', store, 'format', FORMAT, 'revision', next)
  return next
end

-- members returns the members of the index by which a row is found.
local function members(heads, id)
  local all = {'k' .. id}
  for i = 1, #heads, HEAD do
    all[#all + 1] = string.sub(heads, i, i + HEAD - 1) .. id
  end
  return all
end

-- move changes the index from what a row had to what it has.
local function move(old, new)
  local keep = {}
  for _, m in ipairs(new) do keep[m] = true end
  local gone, come = {}, {}
  for _, m in ipairs(old) do
    if keep[m] then keep[m] = nil else gone[#gone + 1] = m end
  end
  for _, m in ipairs(new) do
    if keep[m] then
      come[#come + 1] = 0
      come[#come + 1] = m
    end
  end
  if #gone > 0 then redis.call('ZREM', index, unpack(gone)) end
  if #come > 0 then redis.call('ZADD', index, unpack(come)) end
end

-- drop deletes a row that is there.
local function drop(row, id, heads)
  redis.call('UNLINK', row)
  move(members(heads or '', id), {})
end

-- split returns head and id of a member of the index.
local function split(member)
  local n = string.byte(member) == 107 and 1 or HEAD -- 'k' stands alone
  return string.sub(member, 1, n), string.sub(member, n + 1)
end

-- holds tells whether heads has head among them.
local function holds(heads, head)
  for i = 1, #heads, HEAD do
    if string.sub(heads, i, i + HEAD - 1) == head then return true end
  end
  return false
end

-- sweep takes a member out of the index when its row is gone, or has changed,
-- and tells whether it did. Rows go by themselves when the server's TTL ends.
local function sweep(rows, member)
  local head, id = split(member)
  local row = redis.call('HMGET', rows .. id, 'h', 'i')
  if row[1] and (head == 'k' or holds(row[2] or '', head)) then return false end
  redis.call('ZREM', index, member)
  return true
end
