import { randomUUID } from 'node:crypto';
import { RequestError } from '@millrace/core';
import type { Redis } from 'ioredis';
import { runScript, scriptOf } from '../redis/script.ts';
import { createKeys } from '../store/keys.ts';
import { digestOf } from './digest.ts';
import { measured } from './measured.ts';
import type { Blobs } from './port.ts';

/** How long a piece may take to come. */
const draftForMs = 10 * 60_000;
const pieceBytes = 1024 * 1024;

/** Blobs as Redis strings, beside the runs that refer to them: nothing else has to be shared by hosts. */
export function createRedisBlobs({ connection, prefix }: { connection: Redis; prefix?: string }): Blobs {
  const keys = createKeys(prefix);
  async function size(digest: string): Promise<number | undefined> {
    const [bytes, there] = await Promise.all([
      connection.strlen(keys.blob(digest)),
      connection.exists(keys.blob(digest)),
    ]);
    return there === 1 ? bytes : undefined;
  }
  async function put(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    // Asked first, because contents that are there already may be long. What has another length is damaged.
    if ((await size(digest)) !== bytes.length) await connection.set(keys.blob(digest), Buffer.from(bytes));
    return digest;
  }
  return {
    put,
    size,
    async putPieces(pieces) {
      // Gone by itself when whoever writes it dies.
      const draft = keys.held(`blob/${randomUUID()}`);
      let written = 0;
      const kept = await measured(pieces, async (piece) => {
        written += piece.length;
        if ((await append(connection, draft, piece)) !== written) throw cutShort();
      });
      if (kept.size === 0) await put(new Uint8Array());
      else if ((await runScript(connection, keep, keepOf(draft, keys.blob(kept.digest), kept.size))) !== 1) {
        throw cutShort();
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
      await connection.unlink(keys.blob(digest));
    },
  };
}

/** Says how long the draft is then; another length than what was written says that Redis has stepped back meanwhile. */
async function append(connection: Redis, draft: string, piece: Uint8Array): Promise<unknown> {
  const replies = await connection.multi().append(draft, Buffer.from(piece)).pexpire(draft, draftForMs).exec();
  const [error, length] = replies?.[0] ?? [];
  if (error) throw error;
  return length;
}

const cutShort = (): RequestError =>
  new RequestError('NOT_READY', 'Redis has lost a part of what was being sent. Send it again.');

/**
 * Gives a draft its name, if all of it is there. KEYS: the draft, the blob. ARGV: the bytes that it must have. Returns 1
 * when the blob is there then, which it also is when this was sent twice; else 0.
 */
const keep = scriptOf(`
local size = tonumber(ARGV[1])
if redis.call('strlen', KEYS[1]) == size then
  redis.call('rename', KEYS[1], KEYS[2])
  redis.call('persist', KEYS[2])
  return 1
end
redis.call('unlink', KEYS[1])
return redis.call('strlen', KEYS[2]) == size and 1 or 0
`);

const keepOf = (draft: string, blob: string, size: number) => ({ keys: [draft, blob], args: [size] });
