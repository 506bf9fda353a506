--[[
  Counts anew who holds how many slots: what is really queued or at work, whatever was counted before. Processes that
  died, and wakes that were lost, leave wrong counts.

  KEYS[1]  hash: slots, by tenant, tenant@queue and tenant/workflow
  KEYS[2]  string: there while the last count is fresh enough
  ARGV[1]  prefix of the installation
  ARGV[2]  prefix of what builds of this format act upon
  ARGV[3]  for how many milliseconds this count is fresh
  ARGV[4…] the queues, each by its name ('': the default one) and by what BullMQ calls it

  Returns the tenants that have wakes waiting for their turn; none when the last count is fresh.
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
  return data and cjson.decode(data)['run'] or ''
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
