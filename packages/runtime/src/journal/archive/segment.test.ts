import { randomBytes } from 'node:crypto';
import type { Checkpoint, JournalEntry } from '@millrace/core';
import { beginRunProjection, snapshotOf } from '@millrace/core/projection';
import { afterEach, expect, it, vi } from 'vitest';
import { createMemoryBlobs } from '../../adapters/memory/memory-blobs.ts';
import { copySegment, getSegment, openSegment, putSegment, readCheckpoint, readProjection } from './segment.ts';

const entriesOf = (count: number): readonly JournalEntry[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${at + 1}-0`,
    at,
    event: { type: 'cycle.advanced', scope: `s${at}` },
  }));

const checkpoint: Checkpoint = { records: [['tally/x', 1]], lists: [], partial: [] };

afterEach(() => {
  vi.restoreAllMocks();
});

it('holds entries and bodies, and beside them what is known at its end', async () => {
  const blobs = createMemoryBlobs();
  const entries = entriesOf(3);
  const bodies = [{ id: 'm1', body: { role: 'user', content: 'two\nlines' } }] as const;
  const projection = snapshotOf(beginRunProjection());
  const segment = { entries, bodies };

  const { digest: whole } = await putSegment(blobs, { ...segment, projection, checkpoint: JSON.stringify(checkpoint) });
  const { digest: shown } = await putSegment(blobs, { ...segment, projection });
  const { digest: copy } = await putSegment(blobs, segment);

  for (const digest of [whole, shown, copy]) expect(await getSegment(blobs, digest)).toEqual(segment);
  expect((await readCheckpoint(blobs, { digest: whole }))?.state.get('tally/x')).toBe(1);
  expect(await readProjection(blobs, { digest: whole })).toEqual(projection);
  expect(await readProjection(blobs, { digest: shown })).toEqual(projection);
  for (const digest of [shown, copy]) expect(await readCheckpoint(blobs, { digest })).toBeUndefined();
  expect(await readProjection(blobs, { digest: copy })).toBeUndefined();
});

it('is copied unread to a segment of its own, whose events have the time of the copy', async () => {
  const blobs = createMemoryBlobs();
  const entries = entriesOf(20_000);
  const projection = { ...snapshotOf(beginRunProjection()), at: 1 };
  const original = await putSegment(blobs, {
    entries,
    bodies: [],
    projection,
    checkpoint: JSON.stringify({ ...checkpoint, records: [['activation/a1', { readyAt: 1 }]] }),
  });

  const once = await copySegment(blobs, original.digest);
  const twice = await copySegment(blobs, once.digest);
  const copy = { digest: twice.digest, copiedAt: 99 };

  expect(new Set([original.digest, once.digest, twice.digest]).size).toBe(3);
  expect((await getSegment(blobs, twice.digest)).entries).toEqual(entries);
  expect(await (await openSegment(blobs, copy)).entries()).toEqual(entries.map((entry) => ({ ...entry, at: 99 })));
  expect(await readProjection(blobs, copy)).toEqual({ ...projection, at: 99 });
  expect((await readCheckpoint(blobs, copy))?.state.get('activation/a1')).toEqual({ readyAt: 99 });
  expect(await readCheckpoint(blobs, { digest: twice.digest })).toBeDefined();
});

it('has a checkpoint of any length before its entries', async () => {
  const blobs = createMemoryBlobs();
  const long = randomBytes(300 * 1024).toString('base64');
  const records = [['tally/x', long]] as unknown as Checkpoint['records'];
  const projection = snapshotOf(beginRunProjection());

  const { digest } = await putSegment(blobs, {
    entries: entriesOf(5000),
    bodies: [],
    projection,
    checkpoint: JSON.stringify({ ...checkpoint, records }),
  });

  expect(await readProjection(blobs, { digest })).toEqual(projection);
  expect((await readCheckpoint(blobs, { digest }))?.state.get('tally/x')).toBe(long);
});

it('decodes the wanted messages only, whatever is written in others', async () => {
  const blobs = createMemoryBlobs();
  const look = '\n{"message":"m2","body":{"role":"user","content":"a trap"}}\n{"entry":{}}\n{"checkpoint":{}}\n';
  const bodies = [look, 'second', look, ...Array.from({ length: 10 }, (_, at) => `number ${at + 4}`)].map(
    (content, at) => ({ id: `m${at + 1}`, body: { role: 'user', content } }) as const,
  );
  const { digest } = await putSegment(blobs, { entries: entriesOf(3), bodies });
  const segment = await openSegment(blobs, { digest });
  const parse = vi.spyOn(JSON, 'parse');

  const found = segment.bodies(['m12', 'm2', 'm1', 'm99']);

  expect([...found]).toEqual([0, 1, 11].map((at) => [bodies[at]?.id, bodies[at]?.body]));
  expect(parse).toHaveBeenCalledTimes(3);
  expect(await segment.entries()).toEqual(entriesOf(3));
  expect(await readCheckpoint(blobs, { digest })).toBeUndefined();
  expect((await getSegment(blobs, digest)).bodies).toEqual(bodies);
});

it('is read in turns, between which others have theirs', async () => {
  const blobs = createMemoryBlobs();
  const body = { role: 'user', content: 'x'.repeat(64 * 1024) } as const;
  const bodies = Array.from({ length: 160 }, (_, at) => ({ id: `m${at + 1}` as const, body }));
  const { digest } = await putSegment(blobs, { entries: entriesOf(10_000), bodies });
  let parsed = 0;
  let most = 0;
  let isOver = false;
  const { parse } = JSON;
  vi.spyOn(JSON, 'parse').mockImplementation((text: string) => {
    parsed += text.length;
    most = Math.max(most, parsed);
    return parse(text) as unknown;
  });
  const others = (): void => {
    parsed = 0;
    if (!isOver) setImmediate(others);
  };
  others();

  const { entries } = await getSegment(blobs, digest);
  isOver = true;

  expect(entries).toHaveLength(10_000);
  expect(most).toBeGreaterThan(64 * 1024);
  expect(most).toBeLessThan(1024 * 1024);
});
