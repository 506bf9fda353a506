import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { runScript, scriptOf } from '../redis/commands/script.ts';
import type { Shard } from '../redis/connection/shard.ts';

/*
 * An object store has no atomic form of "delete unless it was needed just now". So Redis decides which object holds
 * the contents of a digest, and when they were needed last; an object is named `<digest>.<generation>`, and no name is
 * ever used twice.
 *
 *     begin      the name is among `uploads`, then the object is written
 *     publish    it leaves `uploads` and becomes the object of its digest, unless that has one
 *     remove     it stops being that, and is among `deletions` until the object has been deleted
 *     abandon    a name that has been among `uploads` for too long moves to `deletions`; its publish fails from then on
 *
 * Each step is one script. A process that dies leaves a name in `uploads` or `deletions`, which the next sweep finds.
 * Contents that are put while they are being removed get a new object of another generation.
 */

/** Object with the contents of a digest. */
export interface IndexedObject {
  readonly generation: string;
  /** In bytes. */
  readonly size: number;
}

/** Index of the objects of an installation. */
export interface ObjectIndex {
  find(digest: string): Promise<IndexedObject | undefined>;
  /** Records that contents are needed. */
  touch(digest: string): Promise<boolean>;
  /** Returns the object of contents, recorded as needed, or else a generation to write them under. */
  begin(digest: string): Promise<IndexedObject | { readonly upload: string }>;
  /** Begins a further generation of contents whose object is damaged or missing. */
  beginAgain(digest: string): Promise<string>;
  /**
   * Makes a written object the one of its digest. `replaces`: a generation that it takes the place of. Returns false
   * when the object is not needed or must not be used; then it is among the deletions.
   */
  publish(digest: string, object: IndexedObject, replaces?: string): Promise<'published' | 'superfluous' | 'abandoned'>;
  /** Removes the object of contents that were not needed for so long; returns its name for deletion. */
  remove(digest: string, idleForMs?: number): Promise<string | undefined>;
  /** Yields the digests of contents that were not needed for so long. */
  idle(forMs: number): AsyncGenerator<string>;
  /** Gives up uploads that began so long ago; returns the names of some objects that must be deleted. */
  abandon(beganBeforeMs: number): Promise<readonly string[]>;
  /** Records that an object has been deleted. */
  deleted(name: string): Promise<void>;
}

/** Returns the name of an object. */
export const objectName = (digest: string, generation: string): string => `${digest}.${generation}`;

const scanCount = 1000;
const batchSize = 500;

/** Creates the index in a shard. */
export function createObjectIndex({ connection, keys }: Shard): ObjectIndex {
  const { blobs: times, blobObjects: objects, blobUploads: uploads, blobDeletions: deletions } = keys;
  const run = (script: ReturnType<typeof scriptOf>, args: readonly (string | number)[]) =>
    runScript(connection, script, { keys: [times, objects, uploads, deletions], args: [...args] });
  const beginAgain = async (digest: string): Promise<string> => {
    const generation = newGeneration();
    await run(beginUpload, [objectName(digest, generation)]);
    return generation;
  };
  return {
    find: async (digest) => parsed(await connection.hget(objects, digest)),
    touch: async (digest) => (await run(touchObject, [digest])) !== null,
    async begin(digest) {
      const generation = newGeneration();
      const entry = await run(touchOrBegin, [digest, objectName(digest, generation)]);
      return parsed(entry) ?? { upload: generation };
    },
    beginAgain,
    async publish(digest, { generation, size }, replaces = '') {
      const entry = `${generation} ${size}`;
      const outcome = await run(publishObject, [digest, entry, objectName(digest, generation), replaces]);
      return outcome === 2 ? 'published' : outcome === 1 ? 'superfluous' : 'abandoned';
    },
    async remove(digest, idleForMs = 0) {
      const found = parsed(await run(removeObject, [digest, Math.ceil(idleForMs)]));
      return found && objectName(digest, found.generation);
    },
    async *idle(forMs) {
      const now = await timeOf(connection);
      for await (const found of connection.zscanStream(times, { count: scanCount }) as AsyncIterable<string[]>) {
        for (let at = 0; at < found.length; at += 2) {
          const digest = found[at];
          if (digest !== undefined && Number(found[at + 1]) <= now - forMs) yield digest;
        }
      }
    },
    async abandon(beganBeforeMs) {
      return (await run(abandonUploads, [Math.ceil(beganBeforeMs), batchSize])) as string[]; // names
    },
    async deleted(name) {
      await connection.srem(deletions, name);
    },
  };
}

const newGeneration = (): string => randomUUID().slice(0, 13).replace('-', '');

function parsed(entry: unknown): IndexedObject | undefined {
  if (typeof entry !== 'string') return undefined;
  const [generation = '', size] = entry.split(' ');
  return { generation, size: Number(size) };
}

async function timeOf(connection: Redis): Promise<number> {
  const [seconds, micros] = await connection.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** All scripts. KEYS: times, objects, uploads, deletions. Names begin with the digest of their contents. */
const prelude = `
local times, objects, uploads, deletions = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function generation(entry) return string.match(entry, '^%S+') end
`;

/** Records the time of use. ARGV: digest. Returns its entry, or nil. */
const touchObject = scriptOf(`${prelude}
local entry = redis.call('hget', objects, ARGV[1])
if entry then redis.call('zadd', times, now, ARGV[1]) end
return entry
`);

/** Records the time of use, or the beginning of an upload. ARGV: digest, name. Returns the entry, or nil. */
const touchOrBegin = scriptOf(`${prelude}
local entry = redis.call('hget', objects, ARGV[1])
if entry then redis.call('zadd', times, now, ARGV[1])
else redis.call('zadd', uploads, now, ARGV[2]) end
return entry
`);

/** Records the beginning of an upload. ARGV: name. */
const beginUpload = scriptOf(`${prelude}
redis.call('zadd', uploads, now, ARGV[1])
`);

/**
 * Makes an uploaded object that of its digest. ARGV: digest, entry, name, generation that may be replaced. Returns 2
 * when it is, also when this was sent twice; 1 when another one is; 0 when the upload was given up.
 */
const publishObject = scriptOf(`${prelude}
local digest, entry, name, replaces = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local before = redis.call('hget', objects, digest)
if before == entry then return 2 end
if redis.call('zrem', uploads, name) == 0 then return 0 end
if before and generation(before) ~= replaces then
  redis.call('sadd', deletions, name)
  redis.call('zadd', times, now, digest)
  return 1
end
if before then redis.call('sadd', deletions, digest .. '.' .. generation(before)) end
redis.call('hset', objects, digest, entry)
redis.call('zadd', times, now, digest)
return 2
`);

/** Removes the object of a digest unless it was needed since. ARGV: digest, milliseconds. Returns its entry, or nil. */
const removeObject = scriptOf(`${prelude}
local digest, idle = ARGV[1], tonumber(ARGV[2])
local needed = redis.call('zscore', times, digest)
if idle > 0 and needed and tonumber(needed) > now - idle then return nil end
local entry = redis.call('hget', objects, digest)
redis.call('zrem', times, digest)
if not entry then return nil end
redis.call('hdel', objects, digest)
redis.call('sadd', deletions, digest .. '.' .. generation(entry))
return entry
`);

/** Gives up uploads. ARGV: milliseconds since their beginning, number of names. Returns some names to be deleted. */
const abandonUploads = scriptOf(`${prelude}
local old = redis.call('zrangebyscore', uploads, '-inf', now - tonumber(ARGV[1]), 'LIMIT', 0, ARGV[2])
for _, name in ipairs(old) do
  redis.call('zrem', uploads, name)
  redis.call('sadd', deletions, name)
end
return redis.call('srandmember', deletions, ARGV[2])
`);
