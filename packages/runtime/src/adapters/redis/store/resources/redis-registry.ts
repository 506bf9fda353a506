import type { Redis } from 'ioredis';
import type { RegisterEntry, Registry } from '../../../../ports/store/registry.ts';
import { onceScript, runOnce } from '../../commands/once.ts';
import { readFields } from '../../commands/read-fields.ts';
import type { Keys } from '../../location/keys.ts';

const removedAtOnce = 1000;

/** The registry in Redis: a hash with the entries of a register, and a sorted set with their ids. */
export function createRedisRegistry(connection: Redis, keys: Keys): Registry {
  const idsAfter = (register: string, after: string, limit: number): Promise<string[]> =>
    connection.zrangebylex(keys.ids(register), after === '' ? '-' : `(${after}`, '+', 'LIMIT', 0, limit);
  const placesOf = (register: string) => [keys.register(register), keys.ids(register)];
  const change: Registry['exchange'] = async (register, id, { before, after }) => {
    const expected = before === undefined ? ['absent', ''] : ['present', before];
    const wanted = after === undefined ? [] : [after];
    const args = [id, ...expected, ...wanted];
    return (await runOnce(connection, keys, exchange, { keys: placesOf(register), args })) === 1;
  };
  return {
    async read(register, id) {
      return (await connection.hget(keys.register(register), id)) ?? undefined;
    },
    async write(register, id, json) {
      await all(connection.multi().hset(keys.register(register), id, json).zadd(keys.ids(register), 0, id).exec());
    },
    add: (register, id, json) => change(register, id, { before: undefined, after: json }),
    exchange: change,
    async remove(register, id) {
      return (await runOnce(connection, keys, remove, { keys: placesOf(register), args: [id] })) === 1;
    },
    async page(register, after, limit) {
      let entries: readonly RegisterEntry[] = [];
      for (let from = after; entries.length < limit; ) {
        const wanted = limit - entries.length;
        const ids = await idsAfter(register, from, wanted);
        const stored = ids.length === 0 ? [] : await readFields(connection, keys.register(register), ids);
        // An entry that is removed between the two reads must not make the page look like the last one.
        entries = [...entries, ...ids.flatMap((id, at) => withJson(id, stored[at]))];
        if (ids.length < wanted) break;
        from = ids.at(-1) ?? '';
      }
      return entries;
    },
    async named(beginning) {
      const beginsWith = keys.register(beginning);
      const before = beginsWith.slice(0, beginsWith.length - beginning.length);
      const match = `${beginsWith.replaceAll(/[[\]*?\\]/g, '\\$&')}*`;
      const names = new Set<string>();
      for await (const found of connection.scanStream({ match, count: 1000 }) as AsyncIterable<string[]>) {
        for (const key of found) names.add(key.slice(before.length));
      }
      return [...names];
    },
    async trim(register, keep) {
      const ids = await connection.zrange(keys.ids(register), String(keep), '-1');
      for (let from = 0; from < ids.length; from += removedAtOnce) {
        const some = ids.slice(from, from + removedAtOnce);
        await all(
          connection
            .multi()
            .hdel(keys.register(register), ...some)
            .zrem(keys.ids(register), ...some)
            .exec(),
        );
      }
    },
    ...heldTexts(connection, keys),
  };
}

const withJson = (id: string, json: string | null | undefined): readonly RegisterEntry[] =>
  typeof json === 'string' ? [{ id, json }] : [];

type HeldTexts = Pick<Registry, 'hold' | 'held' | 'replace' | 'swap'>;

/** Temporary values: a string that expires for each text. */
const heldTexts = (connection: Redis, keys: Keys): HeldTexts => ({
  async hold(name, text, forMs) {
    const kept = await runOnce(connection, keys, hold, { keys: [keys.held(name)], args: [text, forMs] });
    return kept === 1 ? undefined : String(kept);
  },
  async held(names) {
    if (names.length === 0) return [];
    return (await connection.mget(names.map(keys.held))).map((text) => text ?? undefined);
  },
  async replace(name, text, forMs) {
    await connection.set(keys.held(name), text, 'PX', forMs);
  },
  async swap(name, { before, after }) {
    const next = after === undefined ? [] : [after.text, after.forMs];
    return (await runOnce(connection, keys, swap, { keys: [keys.held(name)], args: [before, ...next] })) === 1;
  },
});

/**
 * Writes an entry unless it has changed. KEYS: the register, its ids. ARGV: id, whether there is to be one now (`absent`
 * or `present`), that, and the entry; without the entry, it is removed. Returns 1 when it is written, else 0.
 */
const exchange = onceScript(`
local now = redis.call('hget', KEYS[1], ARGV[1])
if ARGV[2] == 'absent' then
  if now then return 0 end
elseif now ~= ARGV[3] then
  return 0
end
if not ARGV[4] then
  redis.call('hdel', KEYS[1], ARGV[1])
  redis.call('zrem', KEYS[2], ARGV[1])
  return 1
end
redis.call('hset', KEYS[1], ARGV[1], ARGV[4])
redis.call('zadd', KEYS[2], 0, ARGV[1])
return 1
`);

/** Removes an entry. KEYS: the register, its ids. ARGV: id. Returns the number of entries that there were. */
const remove = onceScript(`
redis.call('zrem', KEYS[2], ARGV[1])
return redis.call('hdel', KEYS[1], ARGV[1])
`);

/** Keeps a text for a while unless there is one. KEYS: its name. ARGV: the text, milliseconds. Returns 1, or what there is. */
const hold = onceScript(`
if redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end
return redis.call('get', KEYS[1])
`);

/**
 * Replaces what is kept for a while unless it has changed. KEYS: its name. ARGV: what it was, and what it is to be with
 * the milliseconds for which, or neither. Returns 1 when it was that, else 0.
 */
const swap = onceScript(`
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] then redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3]) else redis.call('del', KEYS[1]) end
return 1
`);

/** The replies of a transaction; throws the first error among them. */
async function all(replies: Promise<[error: Error | null, reply: unknown][] | null>): Promise<unknown[]> {
  return ((await replies) ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
