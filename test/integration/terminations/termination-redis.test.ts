import type { Event, JournalEntry } from '@millrace/core';
import type { Caretaker } from '@millrace/runtime';
import { connect, startCaretaker } from '@millrace/runtime';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';
import { waitUntil } from '../../support/waiting.ts';

/*
 * Times by the clock of a Redis, which no test can move: limits of a second, all of them at the same time. What is compared are
 * the times in the journals, so that nothing depends on how busy the machine is.
 */
const installation = newInstallation();
const stage = openBeforeAll(() => openStage({ where: installation.where }));
let caretaker: Caretaker;
beforeAll(async () => {
  const { store, queue, runs } = stage.runtime;
  caretaker = startCaretaker({ store, queue, runs, everyMs: 20, report: (message) => expect.fail(message) });
});
afterAll(async () => {
  await caretaker.close();
});

const runs = () => stage.runtime.runs;
const limit = 1000;
const timeout = (more = '') => `{ type: timeout, config: { seconds: ${limit / 1000}${more} } }`;

/** A run that asks a person, and nothing else. */
async function ask(termination: string): Promise<string> {
  const text = `graph:\n  id: asking\n  termination: ${termination}\n  nodes: [{ id: H, type: human, config: {} }]\n`;
  const run = await runs().start({ workflow: workflowIn(text, stage.vocabulary), input: 'x' });
  await until(run, 'activation.suspended');
  return run;
}

async function until(run: string, type: Event['type'], times = 1): Promise<void> {
  let seen = 0;
  for await (const { event } of entriesOf(runs(), run)) if (event.type === type && ++seen === times) return;
}

/** Checks that a run was stopped by its timeout; returns a function that gives the times of its events of a type. */
async function ended(run: string) {
  const journal: readonly JournalEntry[] = await journalOf(stage.runtime.store, run);
  expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
  const { status, stop } = (await runs().describe(run)) ?? {};
  expect([status, stop?.text]).toEqual(['terminated', 'timeout: 1s']);
  return (type: Event['type']): readonly number[] =>
    journal.flatMap(({ at, event }) => (event.type === type ? [at] : []));
}

const only = ([time = 0, ...others]: readonly number[]): number => {
  expect(others).toEqual([]);
  return time;
};

it('stops runs in time, whatever they were through, and each once', async () => {
  const plain = await ask(timeout());
  const paused = await ask(timeout());
  const counting = await ask(timeout(', count_paused: true'));
  const other = await ask(`[${timeout()}, { type: external }]`);
  await runs().control(paused, 'pause');
  await runs().control(counting, 'pause');
  await runs().signal(other, { name: 'external' });
  await runs().resume(other);
  await Promise.all([until(plain, 'run.finished'), until(counting, 'run.finished'), until(other, 'run.finished', 2)]);

  // By the alarm alone: nothing else happened in it.
  const simple = await ended(plain);
  expect(only(simple('run.finished')) - only(simple('run.started'))).toBeGreaterThanOrEqual(limit);
  // During the pause.
  const inPause = await ended(counting);
  expect(inPause('run.resumed')).toEqual([]);
  expect(only(inPause('run.finished')) - only(inPause('run.started'))).toBeGreaterThanOrEqual(limit);
  // From the resume on: the first alarm had no effect.
  const again = await ended(other);
  expect((again('run.finished')[1] ?? 0) - only(again('run.resumed'))).toBeGreaterThanOrEqual(limit);
  // The pause was longer than the limit, and none of it counts.
  expect((await runs().describe(paused))?.status).toBe('paused');
  await runs().resume(paused);
  expect((await runs().describe(paused))?.status).toBe('waiting');
  await until(paused, 'run.finished');
  const awake = await ended(paused);
  const before = only(awake('run.paused')) - only(awake('run.started'));
  expect(only(awake('run.finished')) - only(awake('run.resumed')) + before).toBeGreaterThanOrEqual(limit);
});

/** The slots of a cluster that keys fall into. */
async function slotsOf(keys: readonly string[]): Promise<ReadonlySet<number>> {
  const node = await startRedis(['--cluster-enabled', 'yes']);
  const connection = connect(node.url, 'test');
  const slots = await Promise.all(keys.map((key) => connection.cluster('KEYSLOT', key)));
  connection.disconnect();
  await node.stop();
  return new Set(slots);
}

/** Two nodes that talk until a termination stops them. */
const stopping = `graph:
  id: pair
  start: A
  end: B
  termination: { type: max_messages, config: { max_messages: 9 }, exit_to: [B] }
  nodes: [{ id: A, type: literal, config: { content: a } }, { id: B, type: literal, config: { content: b } }]
  edges: [{ from: A, to: B }, { from: B, to: A }]
`;

it('stops a run that no client watches, with keys that one shard of a cluster could hold', async () => {
  const prefix = installation.prefix.replace('}', '-unseen}');
  const where = { redisUrl: installation.url, prefix };
  const own = await openStage({ where });
  const run = await own.runtime.runs.start({ workflow: workflowIn(stopping, own.vocabulary), input: 'x' });
  // No client follows the journal: the run is only described.
  await expect.poll(async () => (await own.runtime.runs.describe(run))?.status).toBe('terminated');

  const connection = connect(installation.url, 'test');
  const keys = await connection.keys(`${prefix}*`);
  connection.disconnect();
  await own.close();
  expect(keys.some((key) => key.includes(run))).toBe(true);
  expect((await slotsOf(keys)).size).toBe(1);
});

it('is stopped by commits that touch no key but those they declare', async () => {
  const server = await startRedis();
  const connection = new Redis(server.url);
  // Before any other command: what is monitored while it begins would count as its answer.
  const monitor = await connection.monitor();
  let declared: ReadonlySet<string> = new Set();
  const touched: string[] = [];
  const undeclared: string[] = [];
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    const [command = '', script = '', count = '0', ...rest] = args;
    // The text of the script, or its digest; what other scripts do is theirs.
    if (source !== 'lua') {
      const isCommit = command.startsWith('eval') && rest.some((key) => key.endsWith(':journal'));
      declared = new Set(isCommit ? rest.slice(0, Number(count)) : []);
      return;
    }
    if (declared.size === 0 || command === 'TIME') return;
    touched.push(script);
    if (!declared.has(script)) undeclared.push(`${command} ${script}`);
  });

  const own = await openStage({ where: { redisUrl: server.url } });
  const finished = await own.run(stopping, 'x');
  await waitUntil(() => touched.some((key) => key.endsWith(`${finished.description.run}:records`)));

  expect(finished.description.status).toBe('terminated');
  expect(undeclared).toEqual([]);
  monitor.disconnect();
  connection.disconnect();
  await own.close();
  await server.stop();
});
