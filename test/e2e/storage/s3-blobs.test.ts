import { randomUUID } from 'node:crypto';
import { readdir, truncate } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bucket, Shard } from '@millrace/runtime';
import {
  connect,
  copyBlobs,
  createDirectoryBlobs,
  createRedisBlobs,
  createS3Blobs,
  createShard,
  openBucket,
} from '@millrace/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chanceOf } from '../../support/faults/seeded.ts';
import { directoryBeforeAll, directoryOfTest, openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { startS3 } from '../../support/s3/s3-server.ts';

const installation = newInstallation();
const server = openBeforeAll(startS3);
const spool = directoryBeforeAll();

const noSignal = new AbortController().signal;
const text = Buffer.from('contents that several processes have');
const closers: (() => Promise<void> | void)[] = [];
let prefix: string;
let reports: string[];
beforeEach(() => {
  prefix = randomUUID();
  reports = [];
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  expect(await readdir(spool)).toEqual([]);
});

/** Blobs as one process has them; `faults` replace methods of its bucket. */
function openBlobs(faults: (bucket: Bucket) => Partial<Bucket> = () => ({})) {
  const connection = connect(installation.url, 'test');
  const shard: Shard = createShard(connection, `{${prefix}}`);
  const bucket = openBucket(server.location(`${prefix}/`), (line) => void reports.push(line), {
    answersWithinMs: 1000,
  });
  closers.push(
    () => connection.disconnect(),
    () => bucket.close(),
  );
  return createS3Blobs({ shard, bucket: { ...bucket, ...faults(bucket) }, spool });
}

const objects = async () =>
  (await server.objects()).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length + 1));

async function* inPieces(all: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

const dies = () => Promise.reject(new Error('the process has died'));

describe('two processes that put the same contents while a third one removes them', () => {
  it('never refer to an object that is missing, and leave no other object behind', async () => {
    const chance = chanceOf(7);
    const slow = (bucket: Bucket): Partial<Bucket> => ({
      put: async (...put) => {
        await sleep(chance.below(5));
        await bucket.put(...put);
        await sleep(chance.below(5));
      },
      delete: async (...deletion) => {
        await sleep(chance.below(5));
        await bucket.delete(...deletion);
      },
    });
    const [one, two, sweeper] = [openBlobs(slow), openBlobs(slow), openBlobs(slow)];
    const digest = await one.put(text);
    for (let round = 0; round < 40; round++) {
      const removals = [() => sweeper.deleteIdle(digest, 0), () => sweeper.delete(digest)];
      const sweep = () => sweeper.sweepObjects(noSignal, round % 3 === 0 ? 0 : undefined);
      await Promise.all([one.put(text), two.putPieces(inPieces(text)), removals[round % 2]?.(), sweep()]);
      await Promise.all([two.put(text), sweeper.deleteIdle(digest, 60_000), sweep()]);

      expect(Buffer.from((await sweeper.get(digest)) ?? [])).toEqual(text);
    }
    await sweeper.sweepObjects(noSignal, 0);
    expect(await objects()).toHaveLength(1);
    await one.delete(digest);
    expect(await objects()).toEqual([]);
  });
});

describe('a process that dies', () => {
  it('after it has written an object leaves it to the sweep of another one', async () => {
    const dying = openBlobs((bucket) => ({ put: (...put) => bucket.put(...put).then(dies) }));
    await expect(dying.put(text)).rejects.toThrow('died');
    const other = openBlobs();

    await other.sweepObjects(noSignal);
    expect(await objects()).toHaveLength(1);
    await other.sweepObjects(noSignal, 0);
    expect(await objects()).toEqual([]);
    expect(await other.has(await other.put(text))).toBe(true);
  });

  it('before it deletes an object that nothing names any more leaves it to the sweep of another one', async () => {
    const dying = openBlobs(() => ({ delete: dies }));
    await dying.delete(await dying.put(text));
    const other = openBlobs();
    expect(await objects()).toHaveLength(1);

    await other.sweepObjects(noSignal);
    expect(await objects()).toEqual([]);
  });
});

it('writes contents again when their upload took so long that it was given up', async () => {
  const sweeper = openBlobs();
  let uploads = 0;
  const slow = openBlobs((bucket) => ({
    async put(...put) {
      await bucket.put(...put);
      uploads += 1;
      if (uploads === 1) await sweeper.sweepObjects(noSignal, 0);
    },
  }));

  const digest = await slow.put(text);

  expect([uploads, Buffer.from((await sweeper.get(digest)) ?? [])]).toEqual([2, text]);
  expect(await objects()).toHaveLength(1);
});

it('never returns a damaged or deleted object, and recovers when the contents are put again', async () => {
  const blobs = openBlobs();
  const digest = await blobs.put(text);
  const [name] = await objects();
  await truncate(server.fileOf(`${prefix}/${name}`), 10);
  expect(await blobs.get(digest)).toBeUndefined();

  await blobs.put(text);
  expect(Buffer.from((await blobs.get(digest)) ?? [])).toEqual(text);
  expect(await objects()).toHaveLength(1);
  expect(await objects()).not.toContain(name);
});

it('waits for a server that is killed or frozen, and says so once', async () => {
  const blobs = openBlobs();
  await blobs.put(text);
  for (const [fail, recover] of [
    [server.kill, server.restart],
    [server.freeze, server.thaw],
  ] as const) {
    reports = [];
    await fail();
    const put = Promise.all([1, 2, 3].map((n) => blobs.put(Buffer.from(`contents ${n} ${fail.name}`))));
    await expect.poll(() => reports.length).toBe(1);
    await recover();

    const digests = await put;
    expect(await Promise.all(digests.map((digest) => blobs.has(digest)))).toEqual([true, true, true]);
    expect(reports).toEqual([
      expect.stringMatching(/^s3:\/\/contents\/.* at http:.*; trying again$/),
      expect.stringContaining('answers again after'),
    ]);
  }
});

it('holds no more than a few megabytes of contents that arrive and leave in pieces', async () => {
  const megabyte = 1024 * 1024;
  const size = 128 * megabyte;
  async function* large(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < size; at += megabyte) yield Buffer.alloc(megabyte, at / megabyte);
  }
  const held = () => process.memoryUsage().arrayBuffers;
  const blobs = openBlobs();
  const before = held();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, held() - before);
  }, 5);

  const { digest } = await blobs.putPieces(large());
  let read = 0;
  for await (const piece of blobs.read(digest, 0, size)) read += piece.length;
  clearInterval(timer);

  expect(read).toBe(size);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(size / 2);
  await blobs.delete(digest);
});

it('copies contents from a directory and from Redis, and those of one store only once', async () => {
  const blobs = openBlobs();
  const connection = connect(installation.url, 'source');
  const directory = directoryOfTest();
  const sources = [createDirectoryBlobs(directory), createRedisBlobs(createShard(connection, `{${prefix}}`))];
  const onProgress = () => undefined;
  for (const [at, source] of sources.entries()) {
    const digest = await source.put(Buffer.from(`contents ${at}`));
    await source.put(text);
    await expect.poll(() => copyBlobs(source, blobs, onProgress)).toMatchObject({ present: 2, damaged: 0 });

    expect(Buffer.from((await blobs.get(digest)) ?? []).toString()).toBe(`contents ${at}`);
  }
  expect(await objects()).toHaveLength(3);
  connection.disconnect();
});
