import { expect, it, vi } from 'vitest';
import { createMemoryBlobs } from '../adapters/memory/memory-blobs.ts';
import { createLocalBatchRows } from '../adapters/memory/store/local-batch-rows.ts';
import { createLocalRegistry } from '../adapters/memory/store/local-registry.ts';
import { createLocalStoredBytes } from '../adapters/memory/store/local-stored-bytes.ts';
import { sweepFilesNow } from '../maintenance/retention/sweep-files.ts';
import { sweepStoredBytes } from '../maintenance/retention/sweep-stored-bytes.ts';
import type { Store } from '../ports/store/port.ts';
import { createBatches } from './batches.ts';
import { createFiles } from './files.ts';
import { scheduleRegister, seriesOf } from './schedules.ts';

const mebibyte = 1024 * 1024;

/** Opens the files of a tenant that may store 10 MiB, on a clock that the test sets. */
function open() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const parts = {
    registry: createLocalRegistry(now),
    rows: createLocalBatchRows(),
    stored: createLocalStoredBytes(),
    now,
  };
  const blobs = createMemoryBlobs();
  const files = createFiles(parts, blobs, { tenant: 'acme', maxBytes: 10 * mebibyte });
  const total = () => parts.stored.total('acme');
  return { clock, parts, blobs, files, total };
}

async function* megabytes(count: number, content: string) {
  for (let at = 0; at < count; at++) yield Buffer.alloc(mebibyte, `${content}${at}`);
}

it('stores no more for a tenant than it may, also of uploads at the same time', async () => {
  const { files, parts, total } = open();

  const added = await Promise.allSettled(
    Array.from({ length: 10 }, (_, at) => files.add({ name: `file ${at}`, pieces: megabytes(3, `${at} `) })),
  );

  const refused = added.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(new Set(refused)).toEqual(new Set(['STORAGE_FULL']));
  expect(refused.length).toBeGreaterThanOrEqual(7);
  expect(await total()).toBe((10 - refused.length) * 3 * mebibyte);
  expect(await parts.stored.tenants()).toEqual([{ tenant: 'acme', bytes: await total() }]);
});

it('has room for exactly what a tenant may store, counts the same file once, and nothing of an upload that is refused', async () => {
  const { files, total } = open();
  const broken = async function* () {
    yield* megabytes(2, 'broken');
    throw new Error('broken off');
  };

  await files.add({ name: 'a', pieces: megabytes(4, 'a') });
  await files.add({ name: 'a', pieces: megabytes(4, 'a') });
  expect(await total()).toBe(4 * mebibyte);
  await files.add({ name: 'b', pieces: megabytes(6, 'b') });
  await expect(files.add({ name: 'c', pieces: broken() })).rejects.toMatchObject({ code: 'STORAGE_FULL' });

  expect(await total()).toBe(10 * mebibyte);
});

it('gives the room of removed files back', async () => {
  const { clock, parts, blobs, files, total } = open();
  await files.add({ name: 'a', pieces: megabytes(8, 'a') });
  const none = async function* () {};
  clock.now += 10_000;

  const retention = { all: none } as unknown as Store['retention'];
  const store = { ...parts, retention } as unknown as Store; // what the sweep reads of a store without runs
  await sweepFilesNow({ store, blobs, keepMs: 5000 }, new AbortController().signal);

  expect(await total()).toBe(0);
  await files.add({ name: 'b', pieces: megabytes(8, 'b') });
});

it('takes back what processes that died have counted, and counts what they have stored', async () => {
  const { clock, parts, files, total } = open();
  const { id, size } = await files.add({ name: 'a', pieces: megabytes(2, 'a') });
  const endOf: Store['endOf'] = async (run) => {
    if (run === 'aaa~unreadable') throw new Error('unreadable');
    return { type: 'absent' };
  };
  const most = Number.POSITIVE_INFINITY;
  await parts.stored.set('acme', `file/${id}`, { bytes: 0, most });
  await parts.stored.set('acme', 'file/file_gone', { bytes: 70, most });
  await parts.stored.set('acme', `upload/${clock.now}-u`, { bytes: 600, most });
  await parts.stored.add('acme~gone', [{ digest: 'd', size: 5000 }], most);
  await parts.stored.add('aaa~unreadable', [{ digest: 'd', size: 3 }], most);
  const reported: string[] = [];
  const act = sweepStoredBytes({ ...parts, endOf }, (message) => reported.push(message));
  const sweep = () => act(new AbortController().signal);

  await sweep();
  expect(await total()).toBe(size + 70 + 600 + 5000);
  clock.now += 3_600_001;
  await sweep();

  expect(await total()).toBe(size);
  expect(await parts.stored.total('aaa')).toBe(3);
  expect(reported).toEqual(Array(2).fill(expect.stringContaining('aaa~unreadable')));
});

it('is removed with its bytes, and again after the same file was uploaded again', async () => {
  const { files, total } = open();
  const file = await files.add({ name: 'a', pieces: megabytes(2, 'a') });
  const other = await files.add({ name: 'b', pieces: megabytes(2, 'a') });

  expect(await files.remove(file.id)).toEqual(file);
  await expect(files.find(file.id)).rejects.toMatchObject({ code: 'FILE_UNKNOWN' });
  await expect(files.remove(file.id)).rejects.toMatchObject({ code: 'FILE_UNKNOWN' });
  expect([await total(), (await files.find(other.id)).size]).toEqual([other.size, 2 * mebibyte]);

  await files.add({ name: 'a', pieces: megabytes(2, 'a') });
  await Promise.all([files.remove(file.id), files.remove(other.id)]);
  expect(await total()).toBe(0);
});

it('is not removed while a schedule of its tenant names it', async () => {
  const { files, parts } = open();
  const { id } = await files.add({ name: 'a', pieces: megabytes(1, 'a') });
  const schedule = (tenant: string) =>
    parts.registry.add(scheduleRegister, seriesOf(tenant, 's'), JSON.stringify({ attachments: [id] }));
  await schedule('acme');
  await schedule('beta');

  await expect(files.remove(id)).rejects.toMatchObject({ code: 'FILE_IN_USE' });
  await parts.registry.remove(scheduleRegister, seriesOf('acme', 's'));
  expect(await files.remove(id)).toMatchObject({ id });
});

it('reads only the schedules and batches of its tenant when it is removed', async () => {
  const { files, parts } = open();
  const { id } = await files.add({ name: 'a', pieces: megabytes(1, 'a') });
  for (const tenant of ['aaa', 'acme2', 'beta'])
    for (let at = 0; at < 1000; at++)
      await parts.registry.add(scheduleRegister, seriesOf(tenant, `s${at}`), JSON.stringify({ attachments: [id] }));
  await createBatches(parts, 'beta').create({ id: 'b', run: {}, parallel: 1, total: 1 }, [
    { row: 1, status: 'waiting', json: JSON.stringify({ attachments: [id] }) },
  ]);
  const page = vi.spyOn(parts.registry, 'page');
  const read = vi.spyOn(parts.rows, 'read');

  await files.remove(id);

  const pages = await Promise.all(page.mock.results.map(({ value }) => value));
  expect(pages.flat().length).toBeLessThan(1000);
  expect(read).not.toHaveBeenCalled();
});

it('stays when a schedule that names it is stored while it is removed', async () => {
  const { files, parts, total } = open();
  const file = await files.add({ name: 'a', pieces: megabytes(1, 'a') });
  const { exchange } = parts.registry;
  vi.spyOn(parts.registry, 'exchange').mockImplementation(async (...change) => {
    await parts.registry.add(scheduleRegister, seriesOf('acme', 's'), JSON.stringify({ attachments: [file.id] }));
    return exchange(...change);
  });

  await expect(files.remove(file.id)).rejects.toMatchObject({ code: 'FILE_IN_USE' });
  expect([await files.find(file.id), await total()]).toEqual([file, file.size]);
});
