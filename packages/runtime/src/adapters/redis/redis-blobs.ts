import { randomUUID } from 'node:crypto';
import { RequestError } from '@millrace/core';
import type { Redis } from 'ioredis';
import { digestOf, hashPieces } from '../../blobs/digest.ts';
import type { Blobs } from '../../ports/blobs.ts';
import { runScript, scriptOf } from './commands/script.ts';
import type { Shard } from './connection/shard.ts';
import type { Keys } from './location/keys.ts';

/** Time that a piece may take to arrive, in milliseconds. */
const draftForMs = 10 * 60_000;
const pieceBytes = 1024 * 1024;

/** Blobs as Redis strings, beside the runs that refer to them: nothing else has to be shared by hosts. */
export function createRedisBlobs({ connection, keys }: Shard): Blobs {
  async function size(digest: string): Promise<number | undefined> {
    const [bytes, there] = await Promise.all([
      connection.strlen(keys.blob(digest)),
      connection.exists(keys.blob(digest)),
    ]);
    return there === 1 ? bytes : undefined;
  }
  /**
   * Records that contents are put or needed, before they are; returns the number of stored bytes, -1 when there are
   * none.
   */
  const noted = (digest: string) =>
    runScript(connection, touch, { keys: [keys.blobs, keys.blob(digest)], args: [digest] });
  async function put(bytes: Uint8Array, digest = digestOf(bytes)): Promise<string> {
    // Asked first, because existing contents may be long. Contents of another length are damaged.
    if ((await noted(digest)) !== bytes.length) await connection.set(keys.blob(digest), bufferOf(bytes));
    return digest;
  }
  return {
    put,
    size,
    touch: async (digest) => (await noted(digest)) !== -1,
    idle: (forMs) => idleIn(connection, keys, forMs),
    async deleteIdle(digest, forMs) {
      const places = [keys.blobs, keys.blob(digest)];
      await runScript(connection, deleteIfIdle, { keys: places, args: [digest, Math.ceil(forMs)] });
    },
    async putPieces(pieces) {
      // The draft expires by itself when its writer dies.
      const draft = keys.held(`blob/${randomUUID()}`);
      let written = 0;
      const kept = await hashPieces(pieces, async (piece) => {
        written += piece.length;
        if ((await append(connection, draft, piece)) !== written) throw incompleteBlob();
      });
      await noted(kept.digest);
      if (kept.size === 0) await put(new Uint8Array());
      else if (
        (await runScript(connection, publishDraft, publishArguments(draft, keys.blob(kept.digest), kept.size))) !== 1
      ) {
        throw incompleteBlob();
      }
      return kept;
    },
    async *read(digest, from, to) {
      for (let at = from; at < to; at += pieceBytes) {
        const piece = await connection.getrangeBuffer(keys.blob(digest), at, Math.min(at + pieceBytes, to) - 1);
        if (piece.length === 0) return;
        yield piece;
      }
    },
    async get(digest) {
      const bytes = await connection.getBuffer(keys.blob(digest));
      return bytes !== null && digestOf(bytes) === digest ? bytes : undefined;
    },
    has: async (digest) => (await connection.exists(keys.blob(digest))) === 1,
    async delete(digest) {
      await connection.multi().unlink(keys.blob(digest)).zrem(keys.blobs, digest).exec();
    },
  };
}

/** Returns the same bytes as the client takes them. */
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

const scanCount = 1000;

/** Yields the digests of idle blobs. */
async function* idleIn(connection: Redis, keys: Keys, forMs: number): AsyncGenerator<string> {
  const now = await timeOf(connection);
  for await (const found of connection.zscanStream(keys.blobs, { count: scanCount }) as AsyncIterable<string[]>) {
    for (let at = 0; at < found.length; at += 2) {
      const digest = found[at];
      if (digest !== undefined && Number(found[at + 1]) <= now - forMs) yield digest;
    }
  }
}

async function timeOf(connection: Redis): Promise<number> {
  const [seconds, micros] = await connection.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/**
 * Returns the length of the draft after the write; a length other than expected shows that Redis has lost writes
 * meanwhile.
 */
async function append(connection: Redis, draft: string, piece: Uint8Array): Promise<unknown> {
  const replies = await connection.multi().append(draft, bufferOf(piece)).pexpire(draft, draftForMs).exec();
  const [error, length] = replies?.[0] ?? [];
  if (error) throw error;
  return length;
}

const incompleteBlob = (): RequestError =>
  new RequestError('NOT_READY', 'Redis has lost a part of what was being sent. Send it again.');

const now = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * Records the time. KEYS: when each blob was put or needed last, the blob. ARGV: its digest. Returns its bytes, or -1.
 */
const touch = scriptOf(`${now}
redis.call('zadd', KEYS[1], now, ARGV[1])
if redis.call('exists', KEYS[2]) == 0 then return -1 end
return redis.call('strlen', KEYS[2])
`);

/** Deletes a blob that was not needed for so long. KEYS: as above, the blob. ARGV: its digest, milliseconds. */
const deleteIfIdle = scriptOf(`${now}
local noted = redis.call('zscore', KEYS[1], ARGV[1])
if noted and tonumber(noted) > now - tonumber(ARGV[2]) then return end
redis.call('unlink', KEYS[2])
redis.call('zrem', KEYS[1], ARGV[1])
`);

/**
 * Renames a complete draft to the blob. KEYS: the draft, the blob. ARGV: the bytes that it must have. Returns 1 when
 * the blob exists afterwards, which is also so when this was sent twice; else 0.
 */
const publishDraft = scriptOf(`
local size = tonumber(ARGV[1])
if redis.call('strlen', KEYS[1]) == size then
  redis.call('rename', KEYS[1], KEYS[2])
  redis.call('persist', KEYS[2])
  return 1
end
redis.call('unlink', KEYS[1])
return redis.call('strlen', KEYS[2]) == size and 1 or 0
`);

const publishArguments = (draft: string, blob: string, size: number) => ({ keys: [draft, blob], args: [size] });
