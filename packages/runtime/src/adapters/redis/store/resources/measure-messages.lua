--[[
  Counts the messages of a run for its tenant, in place of what was counted of them before. A run that was removed counts nothing.

  KEYS[1]  hash of the tenant: bytes by owner, and their sum under ''
  KEYS[2]  set of the tenants that have any
  KEYS[3]  state of the run
  KEYS[4]  messages of the run
  ARGV     tenant, owner
  Returns the bytes that are counted.
]]
local bytes = 0
if redis.call('EXISTS', KEYS[3]) == 1 then
  bytes = redis.call('MEMORY', 'USAGE', KEYS[4]) or 0
end
local change = bytes - tonumber(redis.call('HGET', KEYS[1], ARGV[2]) or '0')
if change == 0 then return bytes end
if bytes > 0 then
  redis.call('HSET', KEYS[1], ARGV[2], string.format('%.0f', bytes))
else
  redis.call('HDEL', KEYS[1], ARGV[2])
end
if redis.call('HINCRBY', KEYS[1], '', string.format('%.0f', change)) > 0 then
  redis.call('SADD', KEYS[2], ARGV[1])
else
  redis.call('HDEL', KEYS[1], '')
  redis.call('SREM', KEYS[2], ARGV[1])
end
return bytes
