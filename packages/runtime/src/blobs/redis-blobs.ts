import type { Redis } from 'ioredis';
import { createKeys } from '../store/keys.ts';
import { digestOf } from './digest.ts';
import type { Blobs } from './port.ts';

/** Blobs as Redis strings, beside the runs that refer to them: nothing else has to be shared by hosts. */
export function createRedisBlobs({ connection, prefix }: { connection: Redis; prefix?: string }): Blobs {
  const keys = createKeys(prefix);
  return {
    async put(bytes) {
      const digest = digestOf(bytes);
      const key = keys.blob(digest);
      // Asked first, because contents that are there already may be long.
      if ((await connection.exists(key)) === 0) await connection.set(key, Buffer.from(bytes), 'NX');
      return digest;
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
