-- Reads rows in the order of the index from ARGV[2] to ARGV[3], backwards where
-- ARGV[4] is ZREVRANGEBYLEX: at most ARGV[5], and no more once they have
-- ARGV[6] bytes. ARGV[1] is what rows begin with; the fields to read follow.
-- Returns for each its member and its fields.
local rows, from, to, command = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local bytes = tonumber(ARGV[6])
local page = {}
for _, member in ipairs(redis.call(command, index, from, to, 'LIMIT', 0, ARGV[5])) do
  local _, id = split(member)
  local row = redis.call('HMGET', rows .. id, unpack(ARGV, 7))
  table.insert(row, 1, member)
  page[#page + 1] = row
  for _, field in ipairs(row) do bytes = bytes - (field and #field or 0) end
  if bytes <= 0 then break end
end
return page
