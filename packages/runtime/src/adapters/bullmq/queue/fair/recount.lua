--[[
  Counts again the slots that are held: the wakes that are queued or active now, whatever was counted before. Processes
  that died, and wakes that were lost, leave wrong counts.

  KEYS[1]  hash: slots, by tenant, tenant@queue and tenant/workflow
  KEYS[2]  string: exists while the last count is fresh
  ARGV[1]  prefix of the installation
  ARGV[2]  prefix of the keys on which builds of this format act
  ARGV[3]  milliseconds for which this count is fresh
  ARGV[4…] the queues: for each its name ('': the default one) and its name in BullMQ

  Returns the tenants with waiting wakes; none if the last count is fresh.
]]
if not redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[3]) then return {} end
local prefix, home = ARGV[1], ARGV[2]
local counts, limits = {}, {}

local function add(field)
  counts[field] = (counts[field] or 0) + 1
end

local function limitsOf(tenant)
  if limits[tenant] == nil then
    local key = prefix .. ':limits:' .. tenant
    limits[tenant] = redis.call('EXISTS', key) == 1 and key or false
  end
  return limits[tenant]
end

local function runOf(job)
  local data = redis.call('HGET', job, 'data')
  return data and string.match(data, '^"(.*)"$') or ''
end

local function count(queue, jobs, ids)
  for _, id in ipairs(ids) do
    local run = runOf(jobs .. id)
    local tenant = string.match(run, '^([^~]*)~') or 'default'
    add(tenant)
    add(tenant .. '@' .. queue)
    local key = limitsOf(tenant)
    local line = key and redis.call('HGET', prefix .. ':summaries', run)
    local workflow = line and cjson.decode(line)['workflow'] or ''
    if workflow ~= '' and redis.call('HEXISTS', key, workflow) == 1 then add(tenant .. '/' .. workflow) end
  end
end

for at = 4, #ARGV, 2 do
  local queue, jobs = ARGV[at], home .. ':' .. ARGV[at + 1] .. ':'
  count(queue, jobs, redis.call('LRANGE', jobs .. 'wait', 0, -1))
  count(queue, jobs, redis.call('LRANGE', jobs .. 'active', 0, -1))
  count(queue, jobs, redis.call('ZRANGE', jobs .. 'prioritized', 0, -1))
end

redis.call('DEL', KEYS[1])
for field, held in pairs(counts) do
  redis.call('HSET', KEYS[1], field, held)
end
return redis.call('SMEMBERS', home .. ':share:tenants')
