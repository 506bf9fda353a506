--[[
  Writes the entry of a series of ticks, if it is still the one that the caller knows.

  KEYS[1]  sorted set: series, by the time at which each is due, in milliseconds
  KEYS[2]  hash: series → its entry

  ARGV[1]  series
  ARGV[2]  the entry that the caller knows, '' for none
  ARGV[3]  the new entry
  ARGV[4]  time at which the series is due

  Returns 1, or 0 if another process has written it.
]]
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
