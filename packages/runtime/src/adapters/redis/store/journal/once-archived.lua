--[[
  Executes a command that removes what an archived part of a journal has, if the state of the run names that part: a failover may
  have lost the commit that added it, and then nothing else has what the command removes.

  KEYS[1]  list: archived parts of the journal, as JSON
  KEYS[2]  key of the command
  ARGV[1]  digest of the part
  ARGV[2]  name of the command
  ARGV     its other arguments

  Returns the reply of the command; 0 if the state does not name the part.
]]
local latest = 16
local parts = redis.call('LRANGE', KEYS[1], -latest, -1)
for at = #parts, 1, -1 do
  if string.find(parts[at], ARGV[1], 1, true) then
    return redis.call(ARGV[2], KEYS[2], unpack(ARGV, 3))
  end
end
return 0
