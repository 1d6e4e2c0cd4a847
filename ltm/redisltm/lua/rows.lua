-- Reads rows, and the terms that each is found by: those of the ids from ARGV[4] on,
-- the first of them, no more once they have ARGV[3] bytes. ARGV[1] is what rows
-- begin with, ARGV[2] the fields to read. Returns for each its fields and its terms.
local rows, terms, bytes = ARGV[1], named('terms'), tonumber(ARGV[3])
local fields, page = {}, {}
for field in string.gmatch(ARGV[2], '%S+') do fields[#fields + 1] = field end
for i = 4, #ARGV do
  local row = redis.call('HMGET', rows .. ARGV[i], unpack(fields))
  row[#row + 1] = redis.call('GET', terms .. ARGV[i])
  page[#page + 1] = row
  for _, field in ipairs(row) do bytes = bytes - (field and #field or 0) end
  if bytes <= 0 then break end
end
return page
