--[[
  Commits to one run: executes a list of writes if the run is still at the version that the caller knows.

  The script knows versions, never graphs: the caller decides what is written and encodes it; the script decodes and
  encodes nothing. Either all writes are executed or none. None can fail after the first one: Redis refuses the first
  write when it is out of memory, and every key has the type that its name says.

  A run has a version, which grows by one with every commit, and the nonce of the commit that made it. The version alone
  does not identify a state: after a power loss Redis may have an earlier version, from which other processes commit
  again and reach the same number.

  A run is stored in a format, which is kept beside its version. Only a process that stores runs in the same format may
  commit to it.

  All keys are declared: while a cluster moves a slot, Redis refuses the script before its first write if some of them are at
  another node.

  KEYS[1]  hash: state of the run, with the fields `version`, `nonce` and `format`
  KEYS[2]  stream: journal of the run, one entry per commit, id `<version>-0`, fields `nonce` and `commit`
  KEYS[3…] keys whose existence is assumed, then the other keys that the writes name

  ARGV[1]  separated by spaces: the version that the caller knows, '0' for a run that does not exist yet; its nonce, '' for
           version 0; the nonce of this commit; the format in which the caller stores runs; how many missed commits the
           caller wants at most; the version that this commit makes, which is the next one, or a later one for a run that begins
           with parts of another journal; and for each assumed key, from KEYS[3] on, '1' if it is to exist and '0' if not
  ARGV[2]  the writes, each as: command, position of its key in KEYS, number of arguments. Whatever sets fields of the state
           sets the new version and nonce, too; where the run begins, the format is among these fields. An entry is added to
           the journal with one argument, the text of the commit
  ARGV[3…] the arguments of all writes

  Returns one of:
    {'ok'}                  it is committed, now or when it was sent before
    {'behind', version, nonce, entries}
                            another process committed first; the journal from the known version on, so that the caller can
                            check that it is the one it knows
    {'unmet'}               an assumed key exists and should not, or the other way round
    {'diverged'}            the run was never at the version and nonce of the caller, or is no longer; or the run is to
                            begin, and a journal of another run has its id
    {'format', format}      the run is stored in another format; one without a format is stored in format 1
]]
local known, knownNonce, newNonce, format, missed, newVersion, expected =
  string.match(ARGV[1], '^(%d+) (%S*) (%S+) (%d+) (%d+) (%d+) ([01]*)$')
local stored = redis.call('HMGET', KEYS[1], 'version', 'nonce', 'format')
local version, nonce = stored[1] or '0', stored[2] or ''

if stored[1] and (stored[3] or '1') ~= format then
  return { 'format', stored[3] or '1' }
end

if version == known and nonce == knownNonce then
  -- Keys whose existence is counted once by one command. A key that must exist is counted more often than all that must not.
  local counted, present = {}, 0
  -- A build of another format may keep the state of a run elsewhere, and its journal here.
  if version == '0' then counted[1] = KEYS[2] end
  for index = 1, #expected do
    if string.sub(expected, index, index) == '0' then counted[#counted + 1] = KEYS[index + 2] end
  end
  local weight = #counted + 1
  for index = 1, #expected do
    if string.sub(expected, index, index) == '1' then
      present = present + 1
      for _ = 1, weight do counted[#counted + 1] = KEYS[index + 2] end
    end
  end
  if #counted > 0 and redis.call('EXISTS', unpack(counted)) ~= present * weight then
    local isBegun = version == '0' and redis.call('EXISTS', KEYS[2]) == 1
    return { isBegun and 'diverged' or 'unmet' }
  end

  local first = 3
  for command, position, count in string.gmatch(ARGV[2], '(%u+) (%d+) (%d+)') do
    local last = first + count - 1
    if command == 'HSET' and position == '1' then
      redis.call('HSET', KEYS[1], 'version', newVersion, 'nonce', newNonce, unpack(ARGV, first, last))
    elseif command == 'XADD' and position == '2' then
      redis.call('XADD', KEYS[2], newVersion .. '-0', 'nonce', newNonce, 'commit', ARGV[first])
    else
      redis.call(command, KEYS[tonumber(position)], unpack(ARGV, first, last))
    end
    first = last + 1
  end
  return { 'ok' }
end

if nonce == newNonce then
  return { 'ok' }
end

if tonumber(version) > tonumber(known) then
  local entries = redis.call('XRANGE', KEYS[2], known .. '-0', '+', 'COUNT', missed)
  return { 'behind', version, nonce, entries }
end

return { 'diverged' }
