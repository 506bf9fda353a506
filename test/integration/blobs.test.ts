import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createDirectoryBlobs, createMemoryBlobs, createRedisBlobs } from '@millrace/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blobsContract } from '../contract/blobs.ts';
import type { Installation } from '../support/redis.ts';
import { openInstallation } from '../support/redis.ts';

blobsContract('in memory', async () => {
  const blobs = createMemoryBlobs();
  return { blobs, other: blobs, close: async () => undefined };
});

blobsContract('in a directory', async () => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-blobs-'));
  const [blobs, other] = [createDirectoryBlobs(root), createDirectoryBlobs(root)];
  return { blobs, other, close: () => rm(root, { recursive: true }) };
});

describe('with a Redis', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await openInstallation();
  });
  afterAll(() => installation.stop());

  blobsContract('in Redis', async () => {
    const { prefix } = installation;
    const connections = [connect(installation.url, 'one'), connect(installation.url, 'two')] as const;
    const [one, two] = connections;
    const [blobs, other] = [
      createRedisBlobs({ connection: one, prefix }),
      createRedisBlobs({ connection: two, prefix }),
    ];
    return {
      blobs,
      other,
      async close() {
        for (const connection of connections) connection.disconnect();
      },
    };
  });
});

describe('a directory of blobs', () => {
  it('does not give out what a failing disk has changed, and heals when it is put again', async () => {
    const root = await mkdtemp(join(tmpdir(), 'millrace-blobs-'));
    const blobs = createDirectoryBlobs(root);
    const digest = await blobs.put(Buffer.from('contents'));
    await writeFile(join(root, digest.slice(0, 2), digest), 'cont');

    expect(await blobs.get(digest)).toBeUndefined();
    await blobs.put(Buffer.from('contents'));
    expect(Buffer.from((await blobs.get(digest)) ?? []).toString()).toBe('contents');
    expect(await readdir(join(root, 'drafts'))).toEqual([]);
    await rm(root, { recursive: true });
  });
});
