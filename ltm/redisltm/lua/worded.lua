-- Notes that no row is left which lacks words, unless others may have come since
-- wordless was ARGV[1].
if redis.call('HGET', store, 'wordless') == ARGV[1] then
  redis.call('HDEL', store, 'wordless')
end
return 1
