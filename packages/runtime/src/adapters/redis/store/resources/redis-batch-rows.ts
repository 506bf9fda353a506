import type { RowStatus } from '@millrace/core';
import { rowStatuses } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { BatchLine, BatchRows } from '../../../../ports/store/batch-rows.ts';
import { onceScript, runOnce } from '../../commands/once.ts';
import { readFields } from '../../commands/read-fields.ts';
import type { BatchKeys, Keys } from '../../location/keys.ts';

const chunkSize = 500;

/**
 * Rows of batches in Redis: hashes with what they are, their statuses and notes by row, and a sorted set of the rows
 * with each status.
 */
export function createRedisBatchRows(connection: Redis, keys: Keys): BatchRows {
  const all = (batch: string): readonly string[] => {
    const { rows, statuses, notes, usage, withStatus } = keys.batch(batch);
    return [rows, statuses, notes, usage, ...rowStatuses.map(withStatus)];
  };
  return {
    async put(batch, lines) {
      const { rows, statuses, withStatus } = keys.batch(batch);
      for (let from = 0; from < lines.length; from += chunkSize) {
        const multi = connection.multi();
        for (const { row, status, json } of lines.slice(from, from + chunkSize)) {
          multi.hset(rows, row, json).hset(statuses, row, status).zadd(withStatus(status), row, String(row));
        }
        await multi.exec();
      }
    },
    read: (batch, wanted) => readRows(connection, keys.batch(batch), wanted),
    async move(batch, { row, from, to, note = '', spent = {}, before }) {
      const { statuses, notes, usage, withStatus } = keys.batch(batch);
      const sets = [...from, to].map(withStatus);
      const expected = before === undefined ? ['any', ''] : ['this', before];
      const args = [row, note, ...expected, JSON.stringify(spent), ...from, to];
      const moved = await runOnce(connection, keys, moveRow, { keys: [statuses, notes, usage, ...sets], args });
      return moved === 1;
    },
    page: (batch, status, { after, limit }) =>
      connection
        .zrangebyscore(keys.batch(batch).withStatus(status), `(${after}`, '+inf', 'LIMIT', 0, limit)
        .then((rows) => rows.map(Number)),
    async counts(batch) {
      const { withStatus } = keys.batch(batch);
      const counted = await Promise.all(rowStatuses.map((status) => connection.zcard(withStatus(status))));
      const entries = rowStatuses.map((status, at) => [status, counted[at] ?? 0] as const);
      return Object.fromEntries(entries) as Record<RowStatus, number>; // one entry for each status
    },
    async usage(batch) {
      const stored = await connection.hgetall(keys.batch(batch).usage);
      return Object.fromEntries(Object.entries(stored).map(([name, amount]) => [name, Number(amount)]));
    },
    async startable(batch, parallel) {
      const { withStatus } = keys.batch(batch);
      const replies = await connection
        .multi()
        .zcard(withStatus('running'))
        .zrange(withStatus('waiting'), '0', String(parallel - 1))
        .exec();
      const [running, waiting] = (replies ?? []).map(([error, reply]) => {
        if (error) throw error;
        return reply;
      }) as [number, string[]]; // what the two commands answer
      return waiting.slice(0, Math.max(0, parallel - running)).map(Number);
    },
    async remove(batch) {
      await connection.unlink([...all(batch)]);
    },
  };
}

async function readRows(
  connection: Redis,
  { rows, statuses, notes }: BatchKeys,
  wanted: readonly number[],
): Promise<readonly BatchLine[]> {
  if (wanted.length === 0) return [];
  const fields = wanted.map(String);
  const [jsons, states, texts] = await Promise.all([
    readFields(connection, rows, fields),
    readFields(connection, statuses, fields),
    readFields(connection, notes, fields),
  ]);
  return wanted.flatMap((row, at): readonly BatchLine[] => {
    const json = jsons[at];
    const status = states[at] as RowStatus | null | undefined; // written when it was put or moved
    const note = texts[at];
    if (typeof json !== 'string' || !status) return [];
    return [{ row, status, json, ...(typeof note === 'string' ? { note } : {}) }];
  });
}

/**
 * Moves a row to another status. KEYS: the statuses, the notes, the usage, the sets of the statuses it may come from, the
 * set of the one it goes to. ARGV: the row, the note ('': as it is), `this` if its present note must be the one that
 * follows, that note, what to add to the usage as JSON, those statuses in that order. Returns 1 when it moved, else 0.
 */
const moveRow = onceScript(`
local now = redis.call('hget', KEYS[1], ARGV[1])
if ARGV[3] == 'this' and (redis.call('hget', KEYS[2], ARGV[1]) or '') ~= ARGV[4] then return 0 end
for at = 4, #KEYS - 1 do
  if now == ARGV[at + 2] then
    for name, amount in pairs(cjson.decode(ARGV[5])) do redis.call('hincrby', KEYS[3], name, amount) end
    redis.call('zrem', KEYS[at], ARGV[1])
    redis.call('zadd', KEYS[#KEYS], ARGV[1], ARGV[1])
    redis.call('hset', KEYS[1], ARGV[1], ARGV[#ARGV])
    if ARGV[2] ~= '' then redis.call('hset', KEYS[2], ARGV[1], ARGV[2]) end
    return 1
  end
end
return 0
`);
