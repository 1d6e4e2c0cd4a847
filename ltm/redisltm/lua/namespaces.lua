-- Returns the namespaces, as ids begin with them, of the members from ARGV[1] on and
-- before ARGV[2], which begin with a letter: at most ARGV[3].
local from, to, most = ARGV[1], '(' .. ARGV[2], tonumber(ARGV[3])
local all = {}
while #all < most do
  local member = redis.call('ZRANGEBYLEX', index, '[' .. from, to, 'LIMIT', 0, 1)[1]
  if not member then break end
  local at = string.find(member, '\0\1', 1, true) or #member + 1
  all[#all + 1] = string.sub(member, 2, at - 1)
  from = string.sub(member, 1, at - 1) .. '\0\2' -- it follows all of the namespace
end
return all
