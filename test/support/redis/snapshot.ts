import type { Redis } from 'ioredis';

/** A copy of all keys of an installation. */
export interface Snapshot {
  /** Puts all keys back as they were, and removes those that came since. */
  restore(): Promise<void>;
}

/** Copies all keys of an installation as a backup of its Redis does. */
export async function takeSnapshot(connection: Redis, prefix: string): Promise<Snapshot> {
  const keys = () => connection.keys(`${prefix}*`);
  const copies = await Promise.all((await keys()).map(async (key) => [key, await connection.dumpBuffer(key)] as const));
  return {
    async restore() {
      const later = await keys();
      if (later.length > 0) await connection.unlink(later);
      for (const [key, copy] of copies) if (copy !== null) await connection.restore(key, 0, copy);
    },
  };
}
