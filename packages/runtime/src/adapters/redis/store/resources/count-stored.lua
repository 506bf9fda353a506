--[[
  Sets the bytes of an owner, or adds contents that it does not have yet, unless its tenant would have too many; or takes contents back.

  KEYS[1]  hash of the tenant: bytes by owner, and their sum under ''
  KEYS[2]  set of the tenants that have any
  KEYS[3]  only for a run: hash of its contents, bytes by digest
  ARGV     tenant, owner, maximum of the tenant, owner that is removed (or ''), bytes of the owner (or '': change its contents),
           then pairs: digest, bytes (or '': take it back)
  Returns 1 when it is done, 0 when there is no room.
]]
local tenant, owner, most, instead, bytes = unpack(ARGV, 1, 5)

local function count(field)
  return tonumber(redis.call('HGET', KEYS[1], field) or '0')
end

local function write(field, number)
  if number > 0 then
    redis.call('HSET', KEYS[1], field, string.format('%.0f', number))
  else
    redis.call('HDEL', KEYS[1], field)
  end
end

local before = count(owner)
local after = tonumber(bytes)
local added = {}
if after then
  after = math.max(after, 0)
else
  after = before
  for at = 6, #ARGV, 2 do
    local size = tonumber(ARGV[at + 1])
    local known = redis.call('HGET', KEYS[3], ARGV[at])
    if not size then
      after = after - tonumber(known or '0')
      redis.call('HDEL', KEYS[3], ARGV[at])
    elseif size > 0 and not known then
      -- Nothing that is added makes the sum smaller.
      after = after + size
      added[#added + 1] = at
    end
  end
end

local removed = 0
if instead ~= '' then removed = count(instead) end
local change = after - before - removed
local total = count('') + change
if change > 0 and total > tonumber(most) then return 0 end

for _, at in ipairs(added) do redis.call('HSET', KEYS[3], ARGV[at], ARGV[at + 1]) end
if after == 0 and KEYS[3] then redis.call('UNLINK', KEYS[3]) end
if instead ~= '' then redis.call('HDEL', KEYS[1], instead) end
write(owner, after)
write('', total)
if total > 0 then redis.call('SADD', KEYS[2], tenant) else redis.call('SREM', KEYS[2], tenant) end
return 1
