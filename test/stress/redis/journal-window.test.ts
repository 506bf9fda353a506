import { readdir } from 'node:fs/promises';
import { createVocabulary } from '@millrace/catalog';
import type { ActivationId, Event, JournalEntry } from '@millrace/core';
import { beginRunProjection, project } from '@millrace/core/projection';
import type { RuntimeLocation, Store } from '@millrace/runtime';
import { connect, createTenantRuntime } from '@millrace/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { bytesIn, turning } from '../../support/runs/turning.ts';
import { entriesOf, untilEnded } from '../../support/runs/watching.ts';
import { waitFor } from '../../support/waiting.ts';

const window = 300;
const vocabulary = createVocabulary();

const installation = openBeforeEach(newInstallation);
const directory = directoryBeforeEach();
const connection = openBeforeEach(() => connect(installation.url, 'test'));
let where: RuntimeLocation;
const stages: Stage[] = [];

beforeEach(async () => {
  const { url, prefix } = installation;
  where = { redisUrl: url, prefix, blobs: { type: 'directory', path: directory }, journalWindow: window };
});

afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

async function open(): Promise<Stage> {
  const stage = await openStage({ where });
  stages.push(stage);
  return stage;
}

const sizes = async (run: string) => ({
  commits: await connection.xlen(`${installation.prefix}:run:${run}:journal`),
  bodies: await connection.hlen(`${installation.prefix}:run:${run}:messages`),
});

it('keeps a window of a long journal in Redis, and the whole journal readable', async () => {
  const stage = await open();
  const { runs, store } = stage.runtime;
  const run = await runs.start({ workflow: turning(400, vocabulary), input: 'go' });
  const watched: JournalEntry[] = [];
  for await (const entry of entriesOf(runs, run)) watched.push(entry);

  // Archiving may end after the run.
  await waitFor(async () => {
    const { commits, bodies } = await sizes(run);
    expect(commits).toBeLessThan(window);
    expect(bodies).toBeLessThan(window);
  });
  // Its messages are few; the archived parts count.
  await expect.poll(() => store.stored.total('default')).toBeGreaterThan(1000);
  expect((await readdir(directory, { recursive: true })).length).toBeGreaterThan(3);
  const other = await open();
  const journal = await journalOf(other.runtime.store, run);
  expect(journal).toEqual(watched);
  expect(await audit(store, run, vocabulary)).toEqual([]);
  const first = journal.find(({ event }) => event.type === 'activation.completed')?.event;
  const outputs = first?.type === 'activation.completed' ? first.outputs : [];
  const [message] = await other.runtime.runs.messages(run, outputs);
  expect(message?.content).toMatch(/^what is said/);
});

it('takes a constant amount of memory for runs of any length', async () => {
  const { runs } = (await open()).runtime;
  const run = await runs.start({ workflow: turning(900, vocabulary), input: 'go' });
  const bytes: number[] = [];
  for await (const { event } of entriesOf(runs, run))
    if (event.type === 'journal.archived') bytes.push(await bytesIn(connection, installation.prefix));

  expect(bytes.length).toBeGreaterThan(8);
  // What was archived is removed soon after the event that says so: the lowest of the last readings is the one without it.
  expect(Math.min(...bytes.slice(-5))).toBeLessThan(1.5 * Math.max(...bytes.slice(0, 3)));
});

it('completes the work of a process that ended between archiving and trimming', async () => {
  const stage = await open();
  const { runs, store } = stage.runtime;
  // From the first segment on, nothing that this process does to the journal arrives any more.
  Object.assign(store.archive ?? {}, { trim: () => Promise.reject(new Error('the process is gone')) });
  const run = await runs.start({ workflow: turning(300, vocabulary), input: 'go' });
  let isPaused = false;
  for await (const { event } of entriesOf(runs, run)) {
    // The run must not end before the process does.
    if (event.type === 'activation.ready' && event.activation === 'a150') {
      await runs.control(run, 'pause');
      isPaused = true;
    }
    if (event.type === 'journal.archived') break;
  }
  await stage.close();
  stages.length = 0;

  const other = await open();
  if (isPaused) await other.runtime.runs.resume(run);
  other.runtime.startCaretaker();
  await untilEnded(other.runtime.runs, run);

  // Archived commits are removed soon after the event that says so.
  await waitFor(async () => expect((await sizes(run)).commits).toBeLessThan(window));
  expect(await audit(other.runtime.store, run, vocabulary)).toEqual([]);
});

it('reads the oldest commits of a journal whole, and never the newest one', async () => {
  const stage = await openStage({ where: { ...where, journalWindow: 100_000 } });
  stages.push(stage);
  const { runs, store } = stage.runtime;
  const run = await runs.start({ workflow: turning(300, vocabulary), input: 'go' });
  await untilEnded(runs, run);
  const journal = await journalOf(store, run);
  const newest = versionOf(journal.at(-1)?.id ?? '');
  const oldest = async (version: number, size: number) =>
    (await store.archive?.oldest(run, { version, size }))?.map(({ id }) => id);
  /** The ids of the events of these versions. */
  const within = (from: number, to: number) =>
    journal.map(({ id }) => id).filter((id) => versionOf(id) >= from && versionOf(id) <= to);

  expect(newest).toBeGreaterThan(600);
  expect(await oldest(0, 1)).toEqual(within(1, 1));
  expect(await oldest(2, within(3, 10).length - 1)).toEqual(within(3, 10));
  expect(await oldest(0, within(1, 550).length)).toEqual(within(1, 550));
  expect(await oldest(3, journal.length)).toEqual(within(4, newest - 1));
  expect(await oldest(newest - 1, 1)).toEqual([]);
  await connection.xtrim(`${installation.prefix}:run:${run}:journal`, 'MINID', '7-0');
  expect(await oldest(0, 1)).toEqual([]);
  expect(await oldest(6, 1)).toEqual(within(7, 7));
});

/** Returns the last versions of the archived parts of an ended run once Redis no longer has them: archiving may end after the run. */
const endsOfParts = (store: Store, run: string): Promise<readonly number[]> =>
  waitFor(async () => {
    const journal = await journalOf(store, run);
    const ends = journal.flatMap(({ event }) => (event.type === 'journal.archived' ? [event.to] : []));
    const [first] = await connection.xrange(`${installation.prefix}:run:${run}:journal`, '-', '+', 'COUNT', 1);
    expect(versionOf(first?.[0] ?? '')).toBeGreaterThan(ends.at(-1) ?? 0);
    return ends;
  });

/** Counts the entries of journals that a store returns from now on, and how often it is asked for a beginning. */
function countEntries(store: Store): { entries: number; fromStart: number } {
  const count = { entries: 0, fromStart: 0 };
  const { journal } = store;
  Object.assign(store, {
    async journal(...asked: Parameters<typeof journal>) {
      const page = await journal(...asked);
      count.entries += page.length;
      if (asked[1] === '0') count.fromStart += 1;
      return page;
    },
  });
  return count;
}

const versionOf = (id: string): number => Number.parseInt(id, 10);

/** Returns the number of events in the longest part of a journal; the last part is what is not archived. */
const longestOf = (journal: readonly JournalEntry[], ends: readonly number[]): number =>
  Math.max(
    ...[...ends, Number.POSITIVE_INFINITY].map((end, at) => {
      const begin = ends[at - 1] ?? 0;
      return journal.filter(({ id }) => versionOf(id) > begin && versionOf(id) <= end).length;
    }),
  );

it('shows the past of a long run from the nearest archived part', async () => {
  const { runs, store } = (await open()).runtime;
  const run = await runs.start({ workflow: turning(700, vocabulary), input: 'go' });
  const watched: JournalEntry[] = [];
  for await (const entry of entriesOf(runs, run)) watched.push(entry);
  const ends = await endsOfParts(store, run);
  // A part may be longer than the window if archiving was slower than the run; a page may be longer than what is wanted of it.
  const limit = window + Math.max(window, longestOf(watched, ends));
  const other = (await open()).runtime;
  await other.runs.refresh(run);
  const read = countEntries(other.store);

  for (const at of [0, 250, 1111, watched.length - 2, watched.length - 1, 1112]) {
    const { id = '' } = watched[at] ?? {};
    const projection = beginRunProjection();
    for (const entry of watched.slice(0, at + 1)) project(projection, entry);
    read.entries = 0;
    const shown = await other.runs.graphs(run, id);

    expect(shown).toMatchObject({ event: id, activations: projection.activations, usage: projection.usage });
    expect(shown?.graphs[0]?.nodes.map(({ runs: count }) => count)).toEqual(
      [0, 1, 2]
        .slice(0, shown?.graphs[0]?.nodes.length)
        .map((node) => projection.graphs.get('')?.nodes.get(node)?.runs ?? 0),
    );
    expect(read.entries, `events read for number ${at} of ${watched.length}`).toBeLessThanOrEqual(limit);
  }
  read.entries = 0;
  await other.runs.graphs(run);
  expect(read.entries).toBeLessThanOrEqual(limit);
  await other.runs.graphs(run);
  expect(read.entries).toBeLessThanOrEqual(limit);
});

it('reads the inputs of activations deep in a large fan-out from nearby', async () => {
  const units = 400;
  where = { ...where, journalWindow: 100 };
  const { runs, store } = (await open()).runtime;
  const run = await runs.start({ workflow: mapThenJoin, input: linesOf(units) });
  const ready: ActivationReady[] = [];
  let hold: 'none' | 'paused' | 'over' = 'none';
  for await (const { event } of entriesOf(runs, run)) {
    if (event.type === 'activation.ready') ready.push(event);
    // The last units wait until a part is archived: so there is a checkpoint before them.
    if (event.type === 'activation.ready' && ready.length === 100 && hold === 'none') {
      await runs.control(run, 'pause');
      hold = 'paused';
    }
    if (event.type !== 'journal.archived') continue;
    if (hold === 'paused') await runs.resume(run);
    hold = 'over';
  }
  await endsOfParts(store, run);
  const other = (await open()).runtime;
  const read = countEntries(other.store);
  const inputOf = async (id: ActivationId) =>
    (await createTenantRuntime(other, 'default').run(run).activation(id))?.input.map(({ text }) => text);

  for (const unit of [0, units - 1]) {
    const { activation = 'a0' } = ready.find((one) => one.unit === unit) ?? {};
    read.fromStart = 0;
    expect(await inputOf(activation)).toEqual([`unit ${unit}`]);
    if (unit > 0) expect(read.fromStart, `unit ${unit} is read from nearby`).toBe(0);
  }
  // The fan-out has more results than a checkpoint holds.
  expect(await inputOf(ready.at(-1)?.activation ?? 'a0')).toHaveLength(units);
}, 120_000);

type ActivationReady = Extract<Event, { type: 'activation.ready' }>;

/** A text whose lines are fanned out to a node that passes its line on to another one. */
const mapThenJoin = workflowIn(
  `graph:
  id: units
  nodes:
    - {id: List, type: passthrough, config: {}}
    - {id: Unit, type: passthrough, config: {}}
    - {id: Join, type: passthrough, config: {}}
  edges:
    - {from: List, to: Unit, dynamic: {type: map, config: {split_type: lines, max_parallel: 4}}}
    - {from: Unit, to: Join}
`,
  vocabulary,
);

const linesOf = (count: number): string => Array.from({ length: count }, (_, at) => `unit ${at}`).join('\n');
