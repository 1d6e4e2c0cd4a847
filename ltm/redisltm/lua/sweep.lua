-- Sweeps members of the index, from ARGV[2] on. ARGV[1] is what rows begin with.
local n = 0
for i = 2, #ARGV do
  if sweep(ARGV[1], ARGV[i]) then n = n + 1 end
end
return n
