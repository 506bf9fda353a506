--[[
  Returns the beginnings of messages of a run, so that readers of many long ones do not transfer them whole.

  KEYS[1]  hash: message bodies by id, as JSON
  ARGV[1]  number of bytes of each
  ARGV[2…] ids of messages

  Returns for each id the first bytes of its JSON; false for a message that does not exist.
]]
local heads = {}
for at = 2, #ARGV do
  local body = redis.call('HGET', KEYS[1], ARGV[at])
  heads[at - 1] = body and string.sub(body, 1, tonumber(ARGV[1]))
end
return heads
