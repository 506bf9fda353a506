--[[
  Admits wakes of one tenant to the queues, as many as its share, its limits and the room in the queues allow.

  A tenant holds a slot for each of its wakes that is queued or active. A wake that continues an active run inherits the slot
  of the job that caused it, and is not reported to this script. Other wakes are counted here if they are in a queue already,
  or wait in lanes: one for each queue and, for a workflow with a limit, one for that workflow. The order is start-time fair
  queueing: each wake of a run comes one turn after the previous one, and the first wake of a run comes next, so the runs of
  a tenant alternate however many wakes each of them has.

  recount.lua and the agenda correct what is lost or counted wrongly here: a wake is only a hint.

  KEYS[1]  hash: slots, by tenant, tenant@queue and tenant/workflow, and by @queue the room of a queue that has more than
           others; all other keys begin with the prefix and share its hash tag
  ARGV[1]  prefix of the installation
  ARGV[2]  prefix of the keys on which builds of this format act
  ARGV[3]  the tenant
  ARGV[4]  its share: this number of its wakes is always admitted to a queue
  ARGV[5]  room: beyond the share, wakes are admitted while fewer than these would precede them in their queue
  ARGV[6]  maximum room: the room of a queue that is found empty while wakes wait here doubles each time up to this, until
           none wait or slots are counted again
  ARGV[7]  maximum number of wakes that this call admits
  ARGV[8]  number of changes of slots; then for each a run, the queue ('': the default one) and the difference
  ARGV[…]  wakes that are to wait here, as members of the agenda; 256 at most, as all of a lane are arguments of one command

  Returns a list: 1 if the tenant is within its share, so that its next wakes need no admission, else 0; 1 if wakes of the
  tenant wait here, else 0; then the wakes to be added to their queues now.
]]
local slots, prefix, home, tenant = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local share, leastRoom, mostRoom, most = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local own = home .. ':share:' .. tenant
local lanesKey, turnsKey = own .. ':lanes', own .. ':turns'
-- More turns than an installation ever counts; the digits above them are the priority.
local classes = 2 ^ 40

local limits, limited = {}, false
local read = redis.call('HGETALL', prefix .. ':limits:' .. tenant)
for at = 1, #read, 2 do
  limits[read[at]] = tonumber(read[at + 1])
  limited = true
end

local held, changed = {}, {}
-- Slots of the tenant (''), of a queue ('@queue') or of a workflow ('/workflow').
local function heldBy(part)
  if not held[part] then held[part] = tonumber(redis.call('HGET', slots, tenant .. part) or '0') end
  return held[part]
end
local function hold(part, by)
  held[part] = math.max(0, heldBy(part) + by)
  changed[part] = true
end

local workflows = {}
-- The workflow of a run if it has a limit of its own; else ''.
local function limitedWorkflowOf(run)
  if not limited then return '' end
  if not workflows[run] then
    local line = redis.call('HGET', prefix .. ':summaries', run)
    local name = line and cjson.decode(line)['workflow'] or ''
    workflows[run] = limits[name] and name or ''
  end
  return workflows[run]
end

local function holdFor(queue, workflow, by)
  hold('', by)
  hold('@' .. queue, by)
  if workflow ~= '' then hold('/' .. workflow, by) end
end

local function jobsOf(queue)
  if queue == '' then return home .. ':jobs:' end
  return home .. ':jobs-' .. queue .. ':'
end

local at = 9
for _ = 1, tonumber(ARGV[8]) do
  holdFor(ARGV[at + 1], limitedWorkflowOf(ARGV[at]), tonumber(ARGV[at + 2]))
  at = at + 3
end

-- Numbers of wakes that precede others in a queue, and that others precede; with those that this call has admitted.
local waiting = {}
local function waitingIn(queue)
  if waiting[queue] then return waiting[queue] end
  local first, after = redis.call('LLEN', jobsOf(queue) .. 'wait'), redis.call('ZCARD', jobsOf(queue) .. 'prioritized')
  local room = tonumber(redis.call('HGET', slots, '@' .. queue) or leastRoom)
  waiting[queue] = { first = first, after = after, room = room, wasFirst = first, wasAfter = after }
  return waiting[queue]
end
-- A queue is refilled when it is half empty, and not one by one: it is cheaper to add many at a time.
local function hasRoom(queue, priority)
  local found = waitingIn(queue)
  local was, is = found.wasFirst, found.first
  if priority > 0 then was, is = was + found.wasAfter, is + found.after end
  return was < found.room / 2 and is < found.room
end

-- Workers that are faster than the admission need more wakes at a time.
for _, lane in ipairs(limited and {} or redis.call('SMEMBERS', lanesKey)) do
  local queue = string.match(lane, '^[^/]*')
  local found = waitingIn(queue)
  if found.first + found.after == 0 and not found.isWidened and found.room < mostRoom then
    found.isWidened, found.room = true, math.min(2 * found.room, mostRoom)
    redis.call('HSET', slots, '@' .. queue, found.room)
  end
end

local now = tonumber(redis.call('HGET', turnsKey, '') or '0')
local lastTurns = {}
-- The turn of the last wake of a run.
local function lastTurnOf(run)
  if not lastTurns[run] then lastTurns[run] = tonumber(redis.call('HGET', turnsKey, run) or '0') end
  return lastTurns[run]
end

-- The wakes that are to wait here, all in order and by lane: there may be hundreds, so one command asks for all of a lane.
local arrivals, arrivalsOf, seen = {}, {}, {}
for index = at, #ARGV do
  local wake = ARGV[index]
  local id, run, queue, priority = wake, string.match(wake, '^[^.]+'), '', 0
  local first, second, third = string.match(wake, '^([^.]+%.[^.]+%.[^.]+)%.([^.]*)%.([^.]*)$')
  if first then id, queue, priority = first, second, tonumber(third) or 0 end
  if not seen[wake] then
    seen[wake] = true
    local lane = queue .. '/' .. limitedWorkflowOf(run)
    local job = jobsOf(queue) .. string.match(id, '%.(.+)$')
    arrivals[#arrivals + 1] = { wake = wake, run = run, priority = priority, lane = lane, job = job }
    local ofLane = arrivalsOf[lane] or { wakes = {}, jobs = {}, added = {} }
    ofLane.wakes[#ofLane.wakes + 1], ofLane.jobs[#ofLane.jobs + 1] = wake, job
    arrivalsOf[lane] = ofLane
  end
end
local known = {}
for lane, ofLane in pairs(arrivalsOf) do
  ofLane.isNoneQueued = redis.call('EXISTS', unpack(ofLane.jobs)) == 0
  for index, score in ipairs(redis.call('ZMSCORE', own .. ':lane:' .. lane, unpack(ofLane.wakes))) do
    known[ofLane.wakes[index]] = score
  end
end
-- The turns of a run follow the order of its wakes, whichever lanes they are in.
local moved = {}
for _, arrival in ipairs(arrivals) do
  local ofLane, run = arrivalsOf[arrival.lane], arrival.run
  if not known[arrival.wake] and (ofLane.isNoneQueued or redis.call('EXISTS', arrival.job) == 0) then
    lastTurns[run] = math.max(now, lastTurnOf(run)) + 1
    moved[run] = true
    ofLane.added[#ofLane.added + 1] = string.format('%.0f', arrival.priority * classes + lastTurns[run])
    ofLane.added[#ofLane.added + 1] = arrival.wake
  end
end
for lane, ofLane in pairs(arrivalsOf) do
  if #ofLane.added > 0 then
    redis.call('ZADD', own .. ':lane:' .. lane, unpack(ofLane.added))
    redis.call('SADD', lanesKey, lane)
  end
end
for run in pairs(moved) do redis.call('HSET', turnsKey, run, lastTurns[run]) end

local function mayGo(queue, workflow, priority)
  if limits[''] and heldBy('') >= limits[''] then return false end
  if workflow ~= '' and heldBy('/' .. workflow) >= limits[workflow] then return false end
  return heldBy('@' .. queue) < share or hasRoom(queue, priority)
end

-- The wakes of a lane in their order, read in portions; those that are admitted are removed together at the end.
local portion = 64
local fronts = {}
local function headOf(lane)
  local front = fronts[lane] or { key = own .. ':lane:' .. lane, taken = 0, wakes = {}, at = 1 }
  fronts[lane] = front
  if front.at > #front.wakes and not front.isExhausted then
    front.wakes, front.at = redis.call('ZRANGE', front.key, front.taken, front.taken + portion - 1, 'WITHSCORES'), 1
    front.isExhausted = #front.wakes == 0
  end
  return front.wakes[front.at], tonumber(front.wakes[front.at + 1])
end
local function takeHead(lane)
  fronts[lane].at, fronts[lane].taken = fronts[lane].at + 2, fronts[lane].taken + 1
end

local lanes = redis.call('SMEMBERS', lanesKey)
local answer = { 0, 0 }
while #answer < most + 2 do
  local next
  for _, lane in ipairs(lanes) do
    local queue, workflow = string.match(lane, '^([^/]*)/(.*)$')
    -- A limit may have been lifted while wakes were in its lane.
    if not limits[workflow] then workflow = '' end
    local wake, score = headOf(lane)
    local priority = wake and math.floor(score / classes) or 0
    if wake and (not next or score < next.score) and mayGo(queue, workflow, priority) then
      next = { lane = lane, queue = queue, workflow = workflow, wake = wake, score = score }
    end
  end
  if not next then break end
  takeHead(next.lane)
  holdFor(next.queue, next.workflow, 1)
  local place = next.score < classes and 'first' or 'after'
  waitingIn(next.queue)[place] = waitingIn(next.queue)[place] + 1
  local turn = next.score % classes
  now = math.max(now, turn)
  -- The last turn of a run is of no use when it has passed.
  local run = string.match(next.wake, '^[^.]+')
  if lastTurnOf(run) <= turn then redis.call('HDEL', turnsKey, run) end
  answer[#answer + 1] = next.wake
end

local isWaiting = false
for _, lane in ipairs(lanes) do
  if headOf(lane) then isWaiting = true else redis.call('SREM', lanesKey, lane) end
  local front = fronts[lane]
  if front.taken > 0 then redis.call('ZREMRANGEBYRANK', front.key, 0, front.taken - 1) end
end
if isWaiting then
  answer[2] = 1
  redis.call('HSET', turnsKey, '', now)
  redis.call('SADD', home .. ':share:tenants', tenant)
elseif #lanes > 0 then
  redis.call('DEL', lanesKey, turnsKey)
  for _, lane in ipairs(lanes) do redis.call('HDEL', slots, '@' .. string.match(lane, '^[^/]*')) end
  redis.call('SREM', home .. ':share:tenants', tenant)
end

for part in pairs(changed) do
  if held[part] > 0 then redis.call('HSET', slots, tenant .. part, held[part])
  else redis.call('HDEL', slots, tenant .. part) end
end

if not limited and not isWaiting and heldBy('') < share then answer[1] = 1 end
return answer
