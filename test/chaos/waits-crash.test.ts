import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry, RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import { describe, expect } from 'vitest';
import type { Fleet } from '../support/runs/fleet.ts';
import type { Scenario } from '../support/runs/scenario.ts';
import { withFleet as it } from '../support/runs/with-fleet.ts';
import { waitUntil } from '../support/waiting.ts';

const scenario = (name: string, yaml: string): Scenario => ({ name, input: 'task', answers: [], yaml: () => yaml });
const delayed = scenario(
  'delayed',
  `graph:
  id: delayed
  nodes:
    - { id: Wait, type: delay, config: { for: 3s } }
    - { id: After, type: passthrough, config: {} }
  edges: [{ from: Wait, to: After }]
`,
);
const row = scenario(
  'row',
  `graph:
  id: row
  nodes:
    - { id: First, type: wait_for, config: { event: go } }
    - { id: Second, type: wait_for, config: { event: go } }
    - { id: Last, type: wait_for, config: { event: never, timeout: 2s, on_timeout: continue } }
  edges: [{ from: First, to: Second }, { from: Second, to: Last }]
`,
);
const limitMs = 500;
const limited = scenario(
  'limited',
  `graph:
  id: limited
  termination: { type: timeout, config: { seconds: ${limitMs / 1000} } }
  nodes: [{ id: Ask, type: human, config: {} }]
`,
);

const isOf =
  (type: JournalEntry['event']['type'], times = 1) =>
  ({ event }: JournalEntry) =>
    event.type === type && --times === 0;
const clean = { violations: [], leftovers: [] };
const signal = (fleet: Fleet, run: RunId, id: string) => fleet.runtime.runs.signal(run, { name: 'go', id, data: id });
const outputOf = async ({ runtime }: Fleet, run: RunId) => {
  const { output } = (await runtime.runs.describe(run)) ?? {};
  return output && textOf(output);
};

// Each test has a Redis and workers of its own, and mostly waits for locks.
describe.concurrent('a waiting run', () => {
  it('ends its delay at the same time when every worker and Redis have died', async ({ fleet }) => {
    const worker = await fleet.startWorker();
    const run = await fleet.start(delayed, 0);
    const { event } = await fleet.until(run, isOf('activation.postponed'));
    await worker.kill();
    await fleet.redis.kill();
    await fleet.redis.restart();

    await fleet.startWorker();
    const { at } = await fleet.until(run, isOf('run.finished'));

    expect(at).toBeGreaterThanOrEqual(dueTimeOf(event));
    expect(await outputOf(fleet, run)).toBe('task');
    expect(await fleet.inspect([run])).toEqual(clean);
  });

  it('keeps an event that came without a live worker, and the end of its wait', async ({ fleet }) => {
    const worker = await fleet.startWorker();
    const run = await fleet.start(row, 0);
    await fleet.until(run, isOf('activation.suspended'));
    await worker.kill();
    await signal(fleet, run, 'one');
    await signal(fleet, run, 'two');
    await fleet.redis.kill();
    await fleet.redis.restart();
    await fleet.wipeQueue();

    const second = await fleet.startWorker();
    await fleet.until(run, isOf('alarm.set'));
    await second.kill();
    // The end of the wait passes while no process runs.
    await sleep(2500);
    await fleet.startWorker();
    await fleet.until(run, isOf('run.finished'));

    expect(await outputOf(fleet, run)).toBe('two');
    expect(await fleet.runtime.runs.describe(run)).toMatchObject({ outputs: { First: 'one', Second: 'two' } });
    expect(await fleet.inspect([run])).toEqual(clean);
  });

  it('counts an event once that is sent again after an outage of Redis', async ({ fleet }) => {
    await fleet.startWorker();
    const run = await fleet.start(row, 0);
    await fleet.until(run, isOf('activation.suspended'));
    await signal(fleet, run, 'one');
    await fleet.until(run, isOf('activation.suspended', 2));
    await fleet.redis.kill();
    await fleet.redis.restart();
    await signal(fleet, run, 'one');
    await signal(fleet, run, 'two');
    await fleet.until(run, isOf('run.finished'));

    expect(await fleet.runtime.runs.describe(run)).toMatchObject({ outputs: { First: 'one', Second: 'two' } });
    const received = (await fleet.journal(run)).filter(({ event }) => event.type === 'signal.received');
    expect(received).toHaveLength(2);
    expect(await fleet.inspect([run])).toEqual(clean);
  });

  it('ends its delay within five seconds of its time when the process dies that looks after the agenda', async ({
    fleet,
  }) => {
    const [one, two] = [await fleet.startWorker(), await fleet.startWorker()];
    const run = await fleet.start(delayed, 0);
    const { event } = await fleet.until(run, isOf('activation.postponed'));
    const holder = await holderOf(fleet);
    await (holder === one.name ? one : two).kill();

    const { at } = await fleet.until(run, isOf('run.finished'));

    expectDelay(at - dueTimeOf(event), lateMs);
    expect(await holderOf(fleet)).toBe(holder === one.name ? two.name : one.name);
    expect(await fleet.inspect([run])).toEqual(clean);
  });

  it('ends on time when another process adds the end while nothing is due', async ({ fleet }) => {
    await fleet.startWorker();
    await untilRegularRead(fleet);

    const run = await fleet.start(limited, 0);
    const { at } = await fleet.until(run, isOf('run.finished'));

    const [started] = await fleet.journal(run);
    expectDelay(at - (started?.at ?? 0) - limitMs, onTimeMs);
  });

  it('ends its delay on time when Redis is restarted meanwhile', async ({ fleet }) => {
    await fleet.startWorker();
    const run = await fleet.start(delayed, 0);
    const { event } = await fleet.until(run, isOf('activation.postponed'));
    await untilWritten(fleet);
    await fleet.redis.kill();
    await fleet.redis.restart();

    const { at } = await fleet.until(run, isOf('run.finished'));

    expectDelay(at - dueTimeOf(event), onTimeMs);
    expect(await fleet.inspect([run])).toEqual(clean);
  });

  it('continues once when the process comes back that was stopped while it looked after the agenda', async ({
    fleet,
  }) => {
    const [one, two] = [await fleet.startWorker(), await fleet.startWorker()];
    const run = await fleet.start(delayed, 0);
    const { event } = await fleet.until(run, isOf('activation.postponed'));
    const holder = await holderOf(fleet);
    const stopped = holder === one.name ? one : two;
    stopped.freeze();

    const { at } = await fleet.until(run, isOf('run.finished'));
    stopped.thaw();
    // Both look after the agenda for a moment.
    const again = await fleet.start(delayed, 0);
    await fleet.until(again, isOf('run.finished'));

    expect(at - dueTimeOf(event)).toBeLessThan(lateMs);
    expect(await holderOf(fleet)).not.toBe(holder);
    expect(await fleet.inspect([run, again])).toEqual(clean);
  });
});

/** Time of a lease, one interval between two checks, and the time of a busy machine, in milliseconds. */
const lateMs = 5000 + 1000 + 9000;
/** Longest delay of a time that was announced, and the time of a busy machine, in milliseconds: less than between regular reads. */
const onTimeMs = 1000 + 3000;

const dueTimeOf = (event: JournalEntry['event']): number =>
  event.type === 'activation.postponed' ? event.until : Number.NaN;

function expectDelay(delayMs: number, mostMs: number): void {
  expect(delayMs).toBeGreaterThanOrEqual(0);
  expect(delayMs).toBeLessThan(mostMs);
}

/** Waits until the agenda was just read by a process that reads it every five seconds. */
async function untilRegularRead({ connection }: Fleet): Promise<void> {
  const reads = async () => /^cmdstat_zrange:calls=(\d+)/m.exec(await connection.info('commandstats'))?.[1];
  let [before, readAt] = [await reads(), performance.now()];
  await waitUntil(async () => {
    const now = await reads();
    if (now === before) return false;
    const quietMs = performance.now() - readAt;
    [before, readAt] = [now, performance.now()];
    return quietMs > 2500;
  });
}

/** Waits until Redis has written everything to its append-only file. */
const untilWritten = ({ connection }: Fleet): Promise<boolean> =>
  waitUntil(async () => /aof_buffer_length:0.*aof_pending_bio_fsync:0/s.test(await connection.info('persistence')));

const holderOf = async ({ connection }: Fleet): Promise<string | undefined> =>
  (await connection.get('{millrace}:v4:lease:agenda'))?.split(' ', 1)[0];
