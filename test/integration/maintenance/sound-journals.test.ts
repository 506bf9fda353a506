import { createVocabulary } from '@millrace/catalog';
import type { ActivationId, Budget, RunId, Workflow } from '@millrace/core';
import { RequestError, textMessage } from '@millrace/core';
import type { Runs, Store } from '@millrace/runtime';
import { createLocalRates, createMemoryBlobs, createMemoryStore, createRuns } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { usuallyOr } from '../../support/exhaustive.ts';
import { createShufflingQueue } from '../../support/faults/shuffling-queue.ts';
import { cyclicWorkflows } from '../../support/reference/graphs.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { branches, earlySignal, human, map, tree } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();

const agent = (id: string, more = '') =>
  `    - {id: ${id}, type: agent, ${more}config: {provider: scripted, name: m, params: {default: word of ${id}}}}`;

/** Workflows whose runs are stopped by their budget, by terminations with exit nodes, or by failures. */
const texts: readonly string[] = [
  `  budget: {tokens: 40, on_exceeded: ask}
  nodes:
${agent('A')}
${agent('B')}
${agent('C')}
  edges: [{from: A, to: B}, {from: B, to: C}]`,
  `  budget: {tokens: 1}
  nodes:
${agent('A')}`,
  `  start: [A]
  end: [B]
  termination: {type: max_turns, config: {max_turns: 2, sources: [A, B]}, exit_to: [C, D]}
  nodes:
${agent('A')}
${agent('B')}
${agent('C')}
${agent('D')}
  edges: [{from: A, to: B}, {from: B, to: A}]`,
  `  start: [A]
  scopes: [{id: talk, nodes: [A, B], termination: {type: max_messages, config: {max_messages: 3}, exit_to: [Out]}}]
  nodes:
${agent('A')}
${agent('B')}
    - {id: Out, type: human, config: {description: And now?}}
  edges: [{from: A, to: B}, {from: B, to: A}]`,
  `  start: [A, Slow]
  nodes:
    - {id: A, type: agent, config: {provider: scripted, name: m, retry: {max_attempts: 1}, params: {rules: [{replies: [{error: {status: 400}}, {text: fine}]}]}}}
    - {id: Slow, type: delay, config: {for: 1h}}
    - {id: Person, type: human, config: {description: Go on?}}
  edges: [{from: A, to: Person}, {from: Slow, to: Person}]`,
];

const written: readonly Workflow[] = [
  ...texts.map((body) => ({ name: 'sound', input: '', answers: [], yaml: () => `graph:\n  id: sound\n${body}\n` })),
  ...[human, map, tree, branches, earlySignal],
].map((scenario) => workflowOf(scenario, vocabulary));

/** One thing that people and programs do with a run, after a number of turns of the event loop. */
interface Act {
  readonly turns: number;
  readonly act: keyof typeof acts;
  readonly pick: number;
}

interface Target {
  readonly runs: Runs;
  readonly store: Store;
  readonly run: RunId;
  /** Chooses the details. */
  readonly pick: number;
}

const message = (text: string) => [textMessage('user', text, 'person')];
const budgets: readonly Budget[] = [{ tokens: 1 }, { tokens: 60 }, { tokens: 100_000 }, { microUsd: 5 }];

const chosen = <T>(all: readonly T[], pick: number): T | undefined => all[pick % Math.max(all.length, 1)];

/** Everything that may be done with a run, also one that has ended. A new run continues in place of the one it was made of. */
const acts = {
  nothing: async () => undefined,
  pause: ({ runs, run }) => runs.control(run, 'pause'),
  resume: ({ runs, run }) => runs.resume(run),
  resumeWithTask: ({ runs, run }) => runs.resume(run, message('a further task')),
  resumeWithBudget: ({ runs, run, pick }) => runs.resume(run, [], { budget: chosen(budgets, pick) ?? {} }),
  resumeAt: async ({ runs, run, pick }) => {
    const nodes = Object.keys((await runs.describe(run))?.outputs ?? {});
    await runs.resume(run, message('look again'), { to: chosen(nodes, pick) ?? 'A', budget: { tokens: 500 } });
  },
  retry: ({ runs, run }) => runs.control(run, 'retry'),
  reset: ({ runs, run }) => runs.control(run, 'reset'),
  drain: ({ runs, run }) => runs.stop(run, { note: 'enough', inFlight: 'drain' }),
  stop: ({ runs, run }) => runs.stop(run, { note: 'enough', inFlight: 'cancel' }),
  stopScope: ({ runs, run }) => runs.stop(run, { note: 'enough', inFlight: 'drain', scope: 'talk' }),
  cancel: ({ runs, run }) => runs.cancel(run, 'not needed'),
  fail: async ({ runs, run }) => {
    await runs.submit(run, { type: 'fail', error: { code: 'TEST', message: 'It cannot continue.' } });
  },
  signal: ({ runs, run, pick }) => runs.signal(run, { name: 'go', data: pick, id: `e${pick % 2}` }),
  answer: async ({ runs, run, pick }) => {
    const task = chosen(await runs.tasks(run), pick);
    const [text = ''] = message(chosen(['ACCEPT', 'no', '900 tokens', 'stop'], pick) ?? '');
    if (task !== undefined && text !== '') await runs.answer(run, task, { message: text });
  },
  alarm: async ({ runs, store, run }) => {
    for (const due of await store.agenda())
      if ('alarm' in due && due.run === run)
        await runs.submit(run, { type: 'alarm', alarm: due.alarm, token: due.token });
  },
  fork: async ({ runs, store, run, pick }) => {
    const at = chosen(await readyIn(store, run), pick);
    return at === undefined ? undefined : runs.fork(run, { at, ...(pick % 3 === 0 ? { input: 'other' } : {}) });
  },
  replay: ({ runs, run }) => runs.replay(run),
} satisfies Record<string, (target: Target) => Promise<unknown>>;

async function readyIn(store: Store, run: RunId): Promise<readonly ActivationId[]> {
  const journal = await journalOf(store, run);
  return journal.flatMap(({ event }) => (event.type === 'activation.ready' ? [event.activation] : []));
}

/** Cancelling ends a run for good, so it is rare; what continues an ended run is not. */
const weights: Readonly<Record<keyof typeof acts, number>> = {
  ...{ nothing: 4, pause: 2, resume: 5, resumeWithTask: 3, resumeWithBudget: 4, resumeAt: 3, retry: 3, reset: 2 },
  ...{ drain: 2, stop: 2, stopScope: 1, cancel: 1, fail: 2, signal: 3, answer: 6, alarm: 2, fork: 2, replay: 1 },
};

const someActs = fc.array(
  fc.record<Act>({
    turns: fc.integer({ min: 0, max: 12 }),
    act: fc.oneof(
      ...(Object.keys(acts) as (keyof typeof acts)[]).map((act) => ({
        arbitrary: fc.constant(act),
        weight: weights[act],
      })),
    ),
    pick: fc.nat({ max: 1000 }),
  }),
  { minLength: 1, maxLength: 20 },
);

const someWorkflow = fc.oneof(
  { arbitrary: fc.constantFrom(...written), weight: 4 },
  { arbitrary: cyclicWorkflows(vocabulary), weight: 1 },
);

async function isSoundAfter(workflow: Workflow, seed: number, todo: readonly Act[]): Promise<void> {
  let state = seed;
  const choose = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const store = createMemoryStore();
  const queue = createShufflingQueue(choose, () => undefined);
  const blobs = createMemoryBlobs();
  const report = () => undefined;
  const runs = createRuns({ rates: createLocalRates(store.now), store, blobs, queue, vocabulary, report });
  const log = pino({ level: 'silent' });
  startWorker({ runtime: { runs, queue }, vocabulary, concurrency: 3, name: 'sound', log, secret: () => undefined });
  const made = [await runs.start({ workflow, input: 'task', timeoutMs: 60_000 })];
  for (const { turns, act, pick } of todo) {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    const run = made.at(-1);
    if (run === undefined) throw new Error('A run was started.');
    try {
      const other = await acts[act]({ runs, store, run, pick });
      if (typeof other === 'string') made.push(other);
    } catch (error) {
      // What does not apply to the run as it is now.
      if (!(error instanceof RequestError)) throw error;
    }
  }
  await queue.close();
  for (const run of made) expect(await audit(store, run, vocabulary)).toEqual([]);
}

it('finds every journal sound that the engine can make, whatever is done with its run', async () => {
  const seeds = fc.integer({ min: 0, max: 2 ** 31 });
  await fc.assert(fc.asyncProperty(someWorkflow, seeds, someActs, isSoundAfter), { numRuns: usuallyOr(60, 3000) });
});
