--[[
  Takes the series of ticks that are due by the clock of Redis, and leases each to the caller: no other process
  gets it before the lease has expired.

  KEYS[1]  sorted set: series, by the time at which each is due, in milliseconds
  KEYS[2]  hash: series → its entry

  ARGV[1]  length of a lease in milliseconds
  ARGV[2]  maximum number of series

  Returns the time in milliseconds; the time at which the next series is due, '' if there is none; and, for each series that was
  taken, its name and its entry.
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = {}
for _, series in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])) do
  local entry = redis.call('HGET', KEYS[2], series)
  if entry then
    redis.call('ZADD', KEYS[1], now + ARGV[1], series)
    taken[#taken + 1] = series
    taken[#taken + 1] = entry
  else
    redis.call('ZREM', KEYS[1], series)
  end
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {string.format('%.0f', now), first[2] or '', unpack(taken)}
