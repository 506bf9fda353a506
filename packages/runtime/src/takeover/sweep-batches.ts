import type { TenantId } from '@millrace/core';
import { rowStatuses } from '@millrace/core';
import type { Redis } from 'ioredis';
import { runScript, scriptOf } from '../redis/commands/script.ts';
import type { Shard } from '../redis/shard.ts';
import type { Batch } from '../resources/batches.ts';
import { batchRegister, makingMs, nameOf, openRegister } from '../resources/batches.ts';
import { formatsBefore } from '../store/format.ts';
import type { BatchKeys, Keys } from '../store/keys.ts';
import { createKeys } from '../store/keys.ts';
import { createRedisRegistry } from '../store/redis/resources/redis-registry.ts';
import type { Registry } from '../store/registry.ts';

/** A batch, by the name of its tenant and its own. */
export interface TakenBatch {
  readonly tenant: TenantId;
  readonly id: string;
}

const atOnce = 200;

/**
 * Takes over the batches with open rows of builds with earlier formats. `push` continues one; it is called before the
 * other build forgets that the batch is open, so that after a crash in between it is pushed again.
 */
export async function sweepOpenBatches(
  { connection, keys }: Shard,
  push: (batch: TakenBatch) => Promise<void>,
): Promise<void> {
  for (const format of formatsBefore(keys.format)) {
    const former = createKeys(keys.prefix, format);
    const before = createRedisRegistry(connection, former);
    for (const { id: name, json } of await before.page(openRegister, '', atOnce)) {
      const [tenant = '', id = ''] = name.split('~');
      const register = batchRegister(tenant);
      const isMade = (await before.read(register, id)) !== undefined;
      const isTaken = (await createRedisRegistry(connection, keys).read(register, id)) !== undefined;
      const { since = 0 } = JSON.parse(json) as { readonly since?: number }; // written by batches.ts
      // A process is still creating it, or died while it did; then it is removed with others of the kind.
      if (!isMade && !isTaken && Date.now() - since < makingMs) continue;
      await createRedisRegistry(connection, keys).add(openRegister, name, json);
      await takeBatch(connection, { former, keys, tenant, id, name });
      await push({ tenant, id });
      await before.remove(openRegister, name);
    }
  }
}

/** Takes over finished batches. The cost grows with the number of all keys. */
export async function takeEndedBatches({ connection, keys }: Shard): Promise<void> {
  for (const format of formatsBefore(keys.format)) {
    const former = createKeys(keys.prefix, format);
    const before = createRedisRegistry(connection, former);
    for (const register of await before.named(batchRegister(''))) {
      const tenant = register.slice(batchRegister('').length);
      for await (const batch of batchesIn(before, register)) {
        const name = nameOf(tenant, batch);
        if (batch.finishedAt !== undefined) await takeBatch(connection, { former, keys, tenant, id: batch.id, name });
      }
    }
  }
}

async function* batchesIn(registry: Registry, register: string): AsyncGenerator<Batch> {
  for (let after = ''; ; ) {
    const entries = await registry.page(register, after, atOnce);
    for (const { json } of entries) yield JSON.parse(json) as Batch; // written by batches.ts
    after = entries.at(-1)?.id ?? '';
    if (entries.length < atOnce) return;
  }
}

interface BatchTakeover extends TakenBatch {
  readonly former: Keys;
  readonly keys: Keys;
  /** As the rows are named. */
  readonly name: string;
}

async function takeBatch(connection: Redis, { former, keys, tenant, id, name }: BatchTakeover): Promise<void> {
  const register = batchRegister(tenant);
  const places = [former, keys].flatMap((of) => [of.register(register), of.ids(register)]);
  const [from, to] = [former, keys].map((of) => hashesOf(of.batch(name)));
  const pairs = (from ?? []).flatMap((key, at) => [key, to?.[at] ?? '']);
  await runScript(connection, take, { keys: [...places, ...pairs], args: [id] });
}

const hashesOf = ({ rows, statuses, notes, withStatus }: BatchKeys): readonly string[] => [
  rows,
  statuses,
  notes,
  ...rowStatuses.map(withStatus),
];

/**
 * Moves a batch with its rows. KEYS: the register that it is in and the ids of that, the same that it goes to, and pairs of
 * where something of it is and where that goes. ARGV: its id.
 */
const take = scriptOf(`
local json = redis.call('hget', KEYS[1], ARGV[1])
if json then
  redis.call('hsetnx', KEYS[3], ARGV[1], json)
  redis.call('zadd', KEYS[4], 0, ARGV[1])
  redis.call('hdel', KEYS[1], ARGV[1])
  redis.call('zrem', KEYS[2], ARGV[1])
end
for at = 5, #KEYS, 2 do
  if redis.call('exists', KEYS[at]) == 1 then redis.call('renamenx', KEYS[at], KEYS[at + 1]) end
end
`);
