-- What every script begins with. KEYS[1] is the hash of the store itself,
-- KEYS[2] the index of the space, both described in layout.go.
local store, index = KEYS[1], KEYS[2]
local HEAD = 9 -- the length of a head

local format = redis.call('HGET', store, 'format')
if format and format ~= FORMAT and format ~= '1' then
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
-- after a crash that lost the last changes, or a flush. A store of which nobody
-- says that it has our format may hold rows without words: see layout.go.
local function change()
  local t = redis.call('TIME')
  local last = tonumber(redis.call('HGET', store, 'revision') or 0)
  local next = math.max(last + 1, t[1] * 1000000 + t[2])
  if format ~= FORMAT then
    redis.call('HSET', store, 'format', FORMAT, 'wordless', string.format('%.0f', next - 1))
    format = FORMAT
  end
  next = string.format('%.0f', next)
  redis.call('HSET', store, 'revision', next)
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

-- named returns what the names of a kind of keys of the space begin with.
local function named(kind)
  local prefix, space = string.match(index, '^(.*):index:(%d+)$')
  return prefix .. ':' .. kind .. ':' .. space .. ':'
end

-- wordsOf returns the different words of terms; where they are too many, the empty
-- one, which is that of records that every search looks at. Too many are more than
-- 1,000, 256 KiB of text, or 256 KiB with the id that each of them takes: that much
-- a script can do while all others wait. What is put with these bounds is taken away
-- with them: lower ones would leave something.
local function wordsOf(terms, id)
  local bytes = 262144
  if #terms > bytes then return {''} end
  local most = math.min(1000, bytes / #id)
  local all, seen = {}, {}
  for word in string.gmatch(terms, '[^ ]+') do
    if not seen[word] then
      if #all >= most then return {''} end
      seen[word] = true
      all[#all + 1] = word
    end
  end
  return all
end

-- find changes the terms by which a row is found. Only the user space has any.
local function find(id, terms)
  if string.sub(index, -2) ~= ':0' then return end
  local name = named('terms') .. id
  local old = redis.call('GET', name) or ''
  if old == terms then return end
  local at = string.find(id, '\0\1', 1, true)
  local within, key = named('word') .. string.sub(id, 1, at + 1), string.sub(id, at + 2)
  local words, come = wordsOf(terms, id), {}
  for _, word in ipairs(words) do come[word] = true end
  for _, word in ipairs(wordsOf(old, id)) do
    if come[word] then come[word] = nil else redis.call('HDEL', within .. word, key) end
  end
  for _, word in ipairs(words) do
    if come[word] then redis.call('HSET', within .. word, key, '') end
  end
  if terms == '' then redis.call('UNLINK', name) else redis.call('SET', name, terms) end
end

-- drop deletes a row that is there.
local function drop(row, id, heads)
  redis.call('UNLINK', row)
  find(id, '')
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
-- and tells whether it did. Rows go by themselves when the server's TTL ends; their
-- words go with the member that each row has.
local function sweep(rows, member)
  local head, id = split(member)
  local row = redis.call('HMGET', rows .. id, 'h', 'i')
  if row[1] and (head == 'k' or holds(row[2] or '', head)) then return false end
  redis.call('ZREM', index, member)
  if head == 'k' then find(id, '') end
  return true
end
