--[[
  Adds numbers of a hash to others and removes them. Each number is moved completely or not at all, and a
  number that does not exist any more is skipped, so the sums stay correct whatever happens at the same time.

  KEYS[1]  hash of numbers
  ARGV     pairs: name of the number, name of the one that it is added to
]]
for at = 1, #ARGV, 2 do
  local value = redis.call('HGET', KEYS[1], ARGV[at])
  if value then
    redis.call('HINCRBY', KEYS[1], ARGV[at + 1], value)
    redis.call('HDEL', KEYS[1], ARGV[at])
  end
end
return #ARGV / 2
