import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
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
  async function put(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    const key = keys.blob(digest);
    // Asked first, because contents that are there already may be long.
    if ((await connection.exists(key)) === 0) await connection.set(key, Buffer.from(bytes), 'NX');
    return digest;
  }
  return {
    put,
    async putPieces(pieces) {
      // Gone by itself when whoever writes it dies.
      const draft = keys.held(`blob/${randomUUID()}`);
      const kept = await measured(pieces, async (piece) => {
        await connection.multi().append(draft, Buffer.from(piece)).pexpire(draft, draftForMs).exec();
      });
      if (kept.size === 0) await put(new Uint8Array());
      else await connection.multi().persist(draft).renamenx(draft, keys.blob(kept.digest)).unlink(draft).exec();
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
    async size(digest) {
      const [size, there] = await Promise.all([
        connection.strlen(keys.blob(digest)),
        connection.exists(keys.blob(digest)),
      ]);
      return there === 1 ? size : undefined;
    },
    async delete(digest) {
      await connection.unlink(keys.blob(digest));
    },
  };
}
