import { mkdirSync, writeFileSync } from 'node:fs';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { compile } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import { fold } from '@millrace/runtime';
import { packCommit, unpackCommit } from '../../packages/runtime/src/adapters/redis/store/commit/journal-commit.ts';
import { journalOf } from '../support/runs/audit.ts';
import type { Scenario } from '../support/runs/scenario.ts';
import { driveRun, workflowOf } from '../support/runs/scenario.ts';
import { scenarios } from '../support/runs/scenarios.ts';
import { openStage } from '../support/runs/stage.ts';
import type { Golden } from './golden.ts';
import { folder, goldens, written } from './golden.ts';
import { untilEnded } from '../support/runs/watching.ts';

/** An agent that fails at first, with another one beside it; it is retried. */
const retry: Scenario = {
  name: 'retry',
  input: 'task',
  answers: [],
  yaml: () => `version: 0.4.0
graph:
  id: retry
  start: [Source]
  nodes:
    - {id: Source, type: passthrough, config: {}}
    - {id: Sure, type: literal, config: {content: sure}}
    - {id: Unsure, type: agent, config: {provider: scripted, name: m, params: {rules: [{replies: [{error: {status: 400, message: not like this}}, in time]}]}}}
    - {id: Join, type: passthrough, config: {only_last_message: false}}
  edges:
    - {from: Source, to: Sure}
    - {from: Source, to: Unsure}
    - {from: Sure, to: Join}
    - {from: Unsure, to: Join}
`,
};

/** A delay, then two events: one that comes before its node waits, and one that its filter passes over. */
const waits: Scenario = {
  name: 'waits',
  input: '17',
  answers: [],
  yaml: () => `graph:
  id: waits
  nodes:
    - {id: Order, type: template, config: {text: "{{ text }}", variables: {order: "{{ text }}"}}}
    - {id: Pause, type: delay, config: {for: 300ms}}
    - {id: Paid, type: wait_for, config: {event: paid, filter: {order: "{{order}}"}, timeout: 1h}}
    - {id: Shipped, type: wait_for, config: {event: shipped}}
  edges:
    - {from: Order, to: Pause}
    - {from: Pause, to: Paid}
    - {from: Paid, to: Shipped}
`,
};

/** An agent with a budget that speaks in a loop, under a timer and a counter. */
const budget: Scenario = {
  name: 'budget',
  input: 'task',
  answers: [],
  yaml: () => `graph:
  id: budget
  budget: {tokens: 100000, usd: 1}
  prices: {m: {input: 2.5, output: 10}}
  start: [Speaker]
  end: [End]
  nodes:
    - {id: Speaker, type: agent, config: {provider: scripted, name: m, params: {default: some words}}}
    - {id: Clock, type: loop_timer, config: {max_duration: 1, duration_unit: hours, passthrough: true, message: late}}
    - {id: Guard, type: loop_counter, config: {max_iterations: 3, message: enough}}
    - {id: End, type: passthrough, config: {}}
  edges:
    - {from: Speaker, to: Clock}
    - {from: Clock, to: Speaker}
    - {from: Clock, to: Guard}
    - {from: Guard, to: Speaker}
    - {from: Guard, to: End}
`,
};

/** Events that the runs of a shape are sent, right after their start. */
const signals: Readonly<Record<string, readonly SentSignal[]>> = {
  waits: [
    { name: 'paid', id: 'other', data: { order: 18 } },
    { name: 'paid', id: 'own', data: { order: 17, amount: 30 } },
    { name: 'shipped', id: 'parcel', data: { parcel: 'p1' } },
  ],
};

type SentSignal = Parameters<Runs['signal']>[1];

/** Records the shapes that have no journal yet. */
export async function main(): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const known = goldens();
  for (const scenario of [...scenarios, retry, waits, budget]) {
    if (known.has(scenario.name)) continue;
    writeFileSync(`${folder}${scenario.name}.json`, `${JSON.stringify(await record(scenario))}\n`, { flag: 'wx' });
    process.stdout.write(`recorded ${scenario.name}\n`);
  }
  return 0;
}

async function record(scenario: Scenario): Promise<Golden> {
  const stage = await openStage({ where: { local: true } });
  const { runs, store } = stage.runtime;
  const workflow = workflowOf(scenario, stage.vocabulary);
  const run = await runs.start({ workflow, input: scenario.input });
  for (const signal of signals[scenario.name] ?? []) await runs.signal(run, signal);
  // The caretaker ends delays; its timers alone would not keep this process running.
  stage.runtime.startCaretaker();
  const alive = setInterval(() => undefined, 1000);
  let status = await statusAfter(runs, run, scenario);
  clearInterval(alive);
  if (status === 'failed') {
    await runs.control(run, 'retry');
    status = await statusAtEnd(runs, run);
  }
  if (status !== 'completed') throw new Error(`${scenario.name} is ${status}`);
  const journal = (await journalOf(store, run)).map(asStored);
  const plan = compile(workflow, createVocabulary());
  const thirds = [1, 2].map((part) => Math.floor((journal.length * part) / 3));
  const loaded = await store.load(run);
  await stage.close();
  if (loaded === undefined) throw new Error(`${run} is gone`);
  return {
    workflow,
    journal,
    states: [
      ...thirds.map((after) => ({ after, ...written(fold(plan, journal.slice(0, after))) })),
      { after: journal.length, ...written(loaded.state) },
    ],
  };
}

/** Returns an entry with the order of fields that it has after it was stored in Redis. */
function asStored({ id, at, event }: JournalEntry): JournalEntry {
  const [stored = event] = unpackCommit('n', packCommit({ at, nonce: 'n', events: [event] })).events;
  return { id, at, event: stored };
}

/** Answers the questions of a run, if its shape has answers, and returns its status at its end. */
const statusAfter = async (runs: Runs, run: string, scenario: Scenario) =>
  scenario.answers.length === 0 ? statusAtEnd(runs, run) : (await driveRun(runs, run, scenario)).status;

async function statusAtEnd(runs: Runs, run: string) {
  await untilEnded(runs, run);
  return (await runs.describe(run))?.status ?? 'failed';
}
