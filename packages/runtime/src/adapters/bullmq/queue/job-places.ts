import type { QueueName, Wake } from '@millrace/core';
import { portions } from '../../redis/commands/read-fields.ts';
import { runScript, scriptOf } from '../../redis/commands/script.ts';
import type { Shard } from '../../redis/connection/shard.ts';
import { bullName, jobId } from '../../redis/location/keys.ts';

/*
 * BullMQ adds no job under an id that has a hash already. So a hash without a place, in none of the lists of its queue, would
 * keep its wake out of the queue for ever, as when a person deletes a list. A job is only a hint: such a hash is deleted.
 */

/** Places of the jobs of wakes of one queue. */
export interface JobPlaces {
  /** Returns the wakes whose job is in none of the lists of the queue. */
  without(queue: QueueName, wakes: readonly Wake[]): Promise<readonly Wake[]>;
  /** Deletes the jobs that are in none of the lists, so that they can be added again. */
  clear(queue: QueueName, wakes: readonly Wake[]): Promise<void>;
}

/** Number of jobs that one call of the script examines. */
const chunkSize = 256;

/** Lists of BullMQ, and then its sorted sets, that have the ids of jobs. */
const lists = ['wait', 'paused', 'active'];
const sortedSets = ['prioritized', 'delayed', 'waiting-children', 'completed', 'failed'];

/** Creates the access to the places of the jobs of an installation. */
export function createJobPlaces({ connection, keys: { home } }: Shard): JobPlaces {
  const examine = async (
    queue: QueueName,
    wakes: readonly Wake[],
    action: 'find' | 'clear',
  ): Promise<readonly Wake[]> => {
    const base = `${home}:${bullName(queue)}`;
    const keys = [...lists, ...sortedSets].map((part) => `${base}:${part}`);
    const unplaced = new Set<string>();
    for (const some of portions(wakes, chunkSize)) {
      const args = [action, `${base}:`, lists.length, ...some.map(jobId)];
      // The script replies with ids.
      for (const id of (await runScript(connection, findUnplaced, { keys, args })) as string[]) unplaced.add(id);
    }
    return wakes.filter((wake) => unplaced.has(jobId(wake)));
  };
  return {
    without: (queue, wakes) => examine(queue, wakes, 'find'),
    async clear(queue, wakes) {
      await examine(queue, wakes, 'clear');
    },
  };
}

/**
 * Returns the ids of jobs that are in none of the lists, with or without a hash, and deletes their hashes if asked to. Every
 * script of BullMQ moves a job from one list to the other in one step. The lists are read only when a hash is in none of the
 * sorted sets.
 *
 * KEYS: the lists, and then the sorted sets
 * ARGV: 'clear' to delete the hashes, else 'find'; what the names of the hashes begin with; number of lists; then the ids
 */
const findUnplaced = scriptOf(`
local action, base, lists = ARGV[1], ARGV[2], tonumber(ARGV[3])
local function isInSet(id)
  for key = lists + 1, #KEYS do
    if redis.call('zscore', KEYS[key], id) then return true end
  end
  return false
end
local suspects, isAny, unplaced = {}, false, {}
for at = 4, #ARGV do
  local id = ARGV[at]
  if redis.call('exists', base .. id) == 0 then unplaced[#unplaced + 1] = id
  elseif not isInSet(id) then suspects[id], isAny = true, true end
end
for key = 1, isAny and lists or 0 do
  for _, id in ipairs(redis.call('lrange', KEYS[key], 0, -1)) do suspects[id] = nil end
end
for id in pairs(suspects) do
  unplaced[#unplaced + 1] = id
  if action == 'clear' then redis.call('del', base .. id, base .. id .. ':lock') end
end
return unplaced
`);
