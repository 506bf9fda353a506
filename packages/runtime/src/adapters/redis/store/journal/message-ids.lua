--[[
  Returns ids of the messages of a run, without their bodies, in portions: HKEYS would read all of them at once.

  KEYS[1]  hash: message bodies by id, as JSON
  ARGV[1]  cursor of the portion; 0 for the first
  ARGV[2]  approximate number of ids

  Returns the cursor of the next portion, 0 after the last, and the ids. An id may come twice.
]]
local found = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local ids = {}
for at = 1, #found[2], 2 do ids[#ids + 1] = found[2][at] end
return { found[1], ids }
