--[[
  Assigns the requests to a model their times, so that no minute has more requests or tokens than the limits allow.

  Times are milliseconds by the clock of the line. It is that of Redis; when that is set back, as by a failover to a replica
  whose clock is behind, the clock of the line runs on from the last time it showed, so that nobody waits for the difference.
  Each caller gets a slot: the earliest time, not before the slots that are assigned already, at which the minute before it
  has room. The log has the slots of the last minute and of the future. A caller whose slot is in the future waits, and keeps
  its slot when it calls again. It may be up to three seconds late, so a minute is a little longer here.

  KEYS[1]  hash: `tokens` of all slots in the log, `last` slot assigned, `paused` until, learned `requests` and `limit`,
           the time `seen` last, and how far the clock of the line is `ahead` of that of Redis
  KEYS[2]  sorted set: the log, `<slot>|<who>|<tokens>` by slot
  KEYS[3]  sorted set: waiting callers, `<who>|<tokens>` by slot

  ARGV[1]  'reserve', 'correct', 'release' or 'learn'
  reserve  ARGV[2] who, ARGV[3] tokens, ARGV[4] requests per minute, ARGV[5] tokens per minute; 0: no limit
           returns {0, receipt}, or {milliseconds to wait, number of waiting callers}
  correct  ARGV[2] receipt, ARGV[3] tokens that the request used
  release  ARGV[2] receipt of a request that is not sent
  learn    ARGV[2] milliseconds until calls are accepted, ARGV[3] requests per minute, ARGV[4] tokens per minute; 0: nothing known
]]
local minute, forget = 63000, 3600000

local function known(field)
  return tonumber(redis.call('HGET', KEYS[1], field) or '0')
end

local function slot(at)
  return string.format('%.0f', at)
end

local function readClock()
  local time = redis.call('TIME')
  local ofRedis = time[1] * 1000 + math.floor(time[2] / 1000)
  local now = math.max(ofRedis + known('ahead'), known('seen'))
  redis.call('HSET', KEYS[1], 'seen', slot(now), 'ahead', slot(now - ofRedis))
  return now
end

local function keep()
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, forget) end
end

local function drop(entry)
  if redis.call('ZREM', KEYS[2], entry) == 1 then
    redis.call('HINCRBY', KEYS[1], 'tokens', -tonumber(string.match(entry, '|(%d+)$')))
  end
end

local function add(at, waiter, tokens)
  local entry = slot(at) .. '|' .. waiter
  if redis.call('ZADD', KEYS[2], at, entry) == 1 then redis.call('HINCRBY', KEYS[1], 'tokens', tokens) end
  return entry
end

local function least(a, b)
  if a == 0 or b == 0 then return a + b end
  return math.min(a, b)
end

if ARGV[1] == 'correct' then
  local entry = ARGV[2]
  local at = redis.call('ZSCORE', KEYS[2], entry)
  if at then
    drop(entry)
    -- In parentheses, because it has a second result.
    redis.call('ZADD', KEYS[2], at, (string.gsub(entry, '%d+$', ARGV[3])))
    redis.call('HINCRBY', KEYS[1], 'tokens', ARGV[3])
  end
  return {}
end

if ARGV[1] == 'release' then
  drop(ARGV[2])
  return {}
end

local now = readClock()
if ARGV[1] == 'learn' then
  redis.call('HSET', KEYS[1], 'paused', slot(math.max(known('paused'), now + ARGV[2])))
  if ARGV[3] ~= '0' then redis.call('HSET', KEYS[1], 'requests', ARGV[3]) end
  if ARGV[4] ~= '0' then redis.call('HSET', KEYS[1], 'limit', ARGV[4]) end
  keep()
  return {}
end

local tokens = tonumber(ARGV[3])
local waiter = ARGV[2] .. '|' .. ARGV[3]
local paused = known('paused')
local given = redis.call('ZSCORE', KEYS[3], waiter)
if given then
  given = tonumber(given)
  local entry = slot(given) .. '|' .. waiter
  if given <= now and paused <= now then
    redis.call('ZREM', KEYS[3], waiter)
    drop(entry)
    return {0, add(now, waiter, tokens)}
  end
  if given >= paused then return {given - now, redis.call('ZCARD', KEYS[3])} end
  redis.call('ZREM', KEYS[3], waiter)
  drop(entry)
end

local requests = least(tonumber(ARGV[4]), known('requests'))
local limit = least(tonumber(ARGV[5]), known('limit'))
local at = math.max(now, known('last'), paused)
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', at - minute)) do drop(entry) end
while (requests > 0 and redis.call('ZCARD', KEYS[2]) >= requests)
  or (limit > 0 and known('tokens') + tokens > limit) do
  local oldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if not oldest[1] then break end
  at = math.max(at, oldest[2] + minute)
  drop(oldest[1])
end
local entry = add(at, waiter, tokens)
redis.call('HSET', KEYS[1], 'last', slot(at))
-- Removes callers that did not call again, such as runs that were cancelled.
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - minute)
if at > now then redis.call('ZADD', KEYS[3], at, waiter) end
keep()
if at <= now then return {0, entry} end
return {at - now, redis.call('ZCARD', KEYS[3])}
