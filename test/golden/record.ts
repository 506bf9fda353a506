import { mkdirSync, writeFileSync } from 'node:fs';
import { createVocabulary } from '@millrace/catalog';
import { compile } from '@millrace/core';
import { fold } from '@millrace/runtime';
import { journalOf } from '../support/runs/audit.ts';
import type { Scenario } from '../support/runs/scenarios.ts';
import { attendTo, scenarios, workflowOf } from '../support/runs/scenarios.ts';
import { openStage } from '../support/runs/stage.ts';
import type { Golden } from './golden.ts';
import { folder, goldens, written } from './golden.ts';

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

/** Records the shapes that have no journal yet. */
export async function main(): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const known = goldens();
  for (const scenario of [...scenarios, retry]) {
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
  let { status } = await attendTo(runs, run, scenario);
  if (status === 'failed') {
    await runs.retry(run);
    for await (const { event } of runs.watch(run, '0', AbortSignal.timeout(20_000))) void event;
    status = (await runs.describe(run))?.status ?? 'failed';
  }
  if (status !== 'completed') throw new Error(`${scenario.name} is ${status}`);
  const journal = await journalOf(store, run);
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
