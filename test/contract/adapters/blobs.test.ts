import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Blobs } from '@millrace/runtime';
import {
  connect,
  createDirectoryBlobs,
  createMemoryBlobs,
  createRedisBlobs,
  createS3Blobs,
  createShard,
  openBucket,
} from '@millrace/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryOfTest, openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { startS3 } from '../../support/s3/s3-server.ts';
import { blobsContract } from '../blobs.ts';

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
  const installation = newInstallation();

  blobsContract('in Redis', async () => {
    const { prefix } = installation;
    const connections = [connect(installation.url, 'one'), connect(installation.url, 'two')] as const;
    const [one, two] = connections;
    const [blobs, other] = [createRedisBlobs(createShard(one, prefix)), createRedisBlobs(createShard(two, prefix))];
    return {
      blobs,
      other,
      async close() {
        for (const connection of connections) connection.disconnect();
      },
    };
  });

  describe('and an S3 server', () => {
    const server = openBeforeAll(startS3);

    blobsContract('in S3', async () => {
      const { prefix } = installation;
      const location = server.location(`${randomUUID()}/`);
      const spool = await mkdtemp(join(tmpdir(), 'millrace-spool-'));
      const processes = ['one', 'two'].map((name) => {
        const connection = connect(installation.url, name);
        const bucket = openBucket(location, () => undefined);
        return { connection, bucket, blobs: createS3Blobs({ shard: createShard(connection, prefix), bucket, spool }) };
      });
      const [one, two] = processes;
      if (one === undefined || two === undefined) throw new Error('There are two processes.');
      return {
        blobs: one.blobs,
        other: two.blobs,
        async close() {
          expect(await readdir(spool)).toEqual([]);
          await rm(spool, { recursive: true });
          for (const { connection, bucket } of processes) {
            await bucket.close();
            connection.disconnect();
          }
        },
      };
    });
  });

  describe('that loses its last second while contents arrive in parts', () => {
    const connection = openBeforeAll(() => connect(installation.url, 'losing'));
    let blobs: Blobs;
    beforeAll(() => {
      blobs = createRedisBlobs(createShard(connection, installation.prefix));
    });

    const [first, second] = [Buffer.from('the first half and '), Buffer.from('the second half')];
    const all = Buffer.concat([first, second]);
    const digest = createHash('sha256').update(all).digest('hex');
    /** As a Redis comes back that had not written the draft down yet. */
    async function* losing(...pieces: readonly (Buffer | undefined)[]): AsyncGenerator<Uint8Array> {
      for (const piece of pieces) {
        if (piece !== undefined) yield piece;
        else await connection.del(...(await connection.keys(`${installation.prefix}:held:blob/*`)));
      }
    }

    it.each([
      ['between two of them', [first, undefined, second]],
      ['after all of them', [first, second, undefined]],
    ])('keeps nothing, and requests the contents again: %s', async (_when, pieces) => {
      await expect(blobs.putPieces(losing(...pieces))).rejects.toMatchObject({ code: 'NOT_READY' });

      expect(await blobs.has(digest)).toBe(false);
      expect(await blobs.putPieces(losing(first, second))).toEqual({ digest, size: all.length });
      expect(Buffer.from((await blobs.get(digest)) ?? [])).toEqual(all);
      await blobs.delete(digest);
    });

    it('overwrites existing contents of another length', async () => {
      const key = `${installation.prefix}:blob:${digest}`;
      for (const again of [() => blobs.put(all), () => blobs.putPieces(losing(first, second))]) {
        await connection.set(key, 'half');
        await again();
        expect(Buffer.from((await blobs.get(digest)) ?? [])).toEqual(all);
      }
      expect(await connection.ttl(key)).toBe(-1);
    });
  });
});

describe('a directory of blobs', () => {
  it('never returns contents that a failing disk has changed, and recovers when they are written again', async () => {
    const root = directoryOfTest();
    const blobs = createDirectoryBlobs(root);
    const digest = await blobs.put(Buffer.from('contents'));
    await writeFile(join(root, digest.slice(0, 2), digest), 'cont');

    expect(await blobs.get(digest)).toBeUndefined();
    await blobs.put(Buffer.from('contents'));
    expect(Buffer.from((await blobs.get(digest)) ?? []).toString()).toBe('contents');
    expect(await readdir(join(root, 'drafts'))).toEqual([]);
  });

  it('removes what processes that died have left, and nothing that is being written', async () => {
    const root = directoryOfTest();
    const blobs = createDirectoryBlobs(root);
    await blobs.put(Buffer.from('contents'));
    const drafts = join(root, 'drafts');
    await writeFile(join(drafts, 'old'), 'half of some');
    await writeFile(join(drafts, 'new'), 'half of some');
    const before = new Date(Date.now() - 3_600_000);
    await utimes(join(drafts, 'old'), before, before);

    for await (const _digest of blobs.idle(60_000)) expect.unreachable();

    expect(await readdir(drafts)).toEqual(['new']);
  });

  it('restores contents whose deletion was interrupted, as they may have been touched before', async () => {
    const root = directoryOfTest();
    const blobs = createDirectoryBlobs(root);
    const digest = await blobs.put(Buffer.from('contents'));
    const place = join(root, digest.slice(0, 2), digest);
    await mkdir(join(root, 'deleting'));
    await rename(place, join(root, 'deleting', digest));

    for await (const _digest of blobs.idle(60_000)) expect.unreachable();

    expect(Buffer.from((await blobs.get(digest)) ?? []).toString()).toBe('contents');
    await utimes(place, new Date(0), new Date(0));
    await blobs.deleteIdle(digest, 60_000);
    expect([await blobs.has(digest), await readdir(join(root, 'deleting'))]).toEqual([false, []]);
  });
});
