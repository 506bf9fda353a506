import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, Workflow } from '@millrace/core';
import { defineNode, defineTool, readWorkflow, textMessage } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import type { RunningWorker } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { driveRun, resultOf, workflowOf } from '../../support/runs/scenario.ts';
import { cycle, human, map, scenarios } from '../../support/runs/scenarios.ts';
import { endedRun } from '../../support/runs/watching.ts';

const noted: string[] = [];
const note = defineTool<{ word: string }>({
  name: 'note',
  description: 'Notes a word.',
  parameters: z.object({ word: z.string() }),
  execute({ word }) {
    noted.push(word);
    return `noted ${word}`;
  },
});
const vocabulary = createVocabulary({ tools: [note] });

afterEach(() => {
  noted.length = 0;
});

interface Place {
  readonly runtime: Runtime;
  readonly worker: RunningWorker;
}

async function open(where: 'memory' | 'redis', words = vocabulary): Promise<Place> {
  const report = (message: string, error: unknown) => process.stderr.write(`${message}: ${String(error)}\n`);
  const runtime = await openRuntime(where === 'redis' ? newInstallation().where : { local: true }, words, report);
  const worker = startWorker({ runtime, vocabulary: words, concurrency: 4, name: 'w', log: pino({ level: 'silent' }) });
  onTestFinished(() => runtime.close());
  onTestFinished(() => worker.close());
  return { runtime, worker };
}

/** A model that asks for a tool twice and then tells how often it was called in all. */
async function startModel() {
  const provider = await startFakeProvider({
    reply(_turn, n) {
      const usage = { input: 10, output: 5 };
      return n % 3 === 0
        ? { text: `said after ${n}`, usage }
        : { calls: [{ id: `c${n}`, name: 'note', arguments: { word: `w${n}` } }], usage };
    },
  });
  onTestFinished(() => provider.close());
  return { url: provider.at('ok'), made: () => provider.requests.length };
}

function read(text: string): Workflow {
  const { workflow, issues } = readWorkflow({ file: 'x.yaml', text }, { vocabulary, mode: 'run', environment: {} });
  if (workflow === undefined) throw new Error(JSON.stringify(issues));
  return workflow;
}

const twoAgents = (url: string) =>
  read(`
version: 0.4.0
graph:
  id: two
  start: [A]
  end: [B]
  nodes:
    - {id: A, type: agent, config: {provider: openai, name: m, base_url: "${url}", api_key: k, tooling: [{type: function, config: {tools: [{name: note}]}}]}}
    - {id: B, type: agent, config: {provider: openai, name: m, base_url: "${url}", api_key: k, tooling: [{type: function, config: {tools: [{name: note}]}}]}}
  edges:
    - {from: A, to: B}
`);

const settledBy = (journal: readonly JournalEntry[], type: JournalEntry['event']['type']) =>
  journal.flatMap(({ event }) => (event.type === type && 'activation' in event ? [event.activation] : []));

describe.each(['memory', 'redis'] as const)('a replay (%s)', (where) => {
  it('calls no model and no tool, and has the same result', async () => {
    const model = await startModel();
    const { runtime } = await open(where);
    const run = await runtime.runs.start({ workflow: twoAgents(model.url), input: 'go' });
    const first = await endedRun(runtime.runs, run);
    const [asked, called] = [model.made(), noted.length];
    expect([first.status, asked, called]).toEqual(['completed', 6, 4]);

    const replay = await runtime.runs.replay(run);
    const second = await endedRun(runtime.runs, replay);

    expect(resultOf(second)).toEqual(resultOf(first));
    expect([model.made(), noted.length]).toEqual([asked, called]);
    expect(second.usage.calls).toBe(0);
    expect(await audit(runtime.store, replay, vocabulary)).toEqual([]);
  });

  it.each(scenarios)('repeats $name as the run did, including answers of people', async (scenario) => {
    const { runtime } = await open(where);
    const run = await runtime.runs.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input });
    const first = await driveRun(runtime.runs, run, scenario);

    const replay = await runtime.runs.replay(run);
    const second = await endedRun(runtime.runs, replay);

    expect(resultOf(second)).toEqual(resultOf(first));
    expect(await audit(runtime.store, replay, vocabulary)).toEqual([]);
  });
});

describe('a replay', () => {
  it('goes live from a given activation on', async () => {
    const model = await startModel();
    const { runtime } = await open('memory');
    const run = await runtime.runs.start({ workflow: twoAgents(model.url), input: 'go' });
    await endedRun(runtime.runs, run);

    const replay = await runtime.runs.replay(run, { liveFrom: 'a2' });
    const second = await endedRun(runtime.runs, replay);

    expect(model.made()).toBe(9);
    expect(second.outputs).toEqual({ A: 'said after 3', B: 'said after 9' });
  });

  it('fails when a node makes another call than recorded', async () => {
    let word = 'then';
    const asking = defineNode<unknown>({
      type: 'asking',
      summary: 'Asks for a word that changes.',
      config: z.strictObject({}),
      async execute(_config, _input, host) {
        const said = await host.step('look up', { word }, async () => word);
        return { type: 'completed', outputs: [textMessage('assistant', said, host.node)] };
      },
    });
    const words = { ...vocabulary, nodes: new Map([...vocabulary.nodes, ['asking', asking] as const]) };
    const { runtime } = await open('memory', words);
    const text = 'graph:\n  id: w\n  nodes:\n    - {id: Asker, type: asking, config: {}, on_error: continue}\n';
    const { workflow } = readWorkflow({ file: 'x.yaml', text }, { vocabulary: words, mode: 'run', environment: {} });
    if (workflow === undefined) throw new Error('the workflow is invalid');
    const run = await runtime.runs.start({ workflow, input: '' });
    expect((await endedRun(runtime.runs, run)).status).toBe('completed');

    word = 'now';
    const replay = await endedRun(runtime.runs, await runtime.runs.replay(run));

    expect(replay).toMatchObject({ status: 'failed', error: { code: 'REPLAY_DIVERGED', node: 'Asker' } });
    expect(replay.error?.message).toContain('step 0 of activation a1 in node "Asker", "look up", asks something else');
  });

  it('can be replayed itself', async () => {
    const { runtime } = await open('memory');
    const run = await runtime.runs.start({ workflow: workflowOf(human, vocabulary), input: human.input });
    const first = await driveRun(runtime.runs, run, human);
    const replay = await runtime.runs.replay(run);
    await endedRun(runtime.runs, replay);
    const again = await runtime.runs.replay(replay);
    expect(resultOf(await endedRun(runtime.runs, again))).toEqual(resultOf(first));
  });

  it('is refused for a run that has not ended, and for an activation that is not there', async () => {
    const { runtime } = await open('memory');
    const run = await runtime.runs.start({ workflow: workflowOf(human, vocabulary), input: human.input });
    await expect(runtime.runs.replay(run)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    await driveRun(runtime.runs, run, human);
    await expect(runtime.runs.replay(run, { liveFrom: 'a99' })).rejects.toMatchObject({ code: 'ACTIVATION_UNKNOWN' });
    await expect(runtime.runs.replay('run_none')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  });
});

describe.each(['memory', 'redis'] as const)('a fork (%s)', (where) => {
  it('continues in a loop with an edited output, and pays for nothing inherited', async () => {
    const { runtime } = await open(where);
    const run = await runtime.runs.start({ workflow: workflowOf(cycle, vocabulary), input: cycle.input });
    await endedRun(runtime.runs, run);
    const critics = settledBy(await journalOf(runtime.store, run), 'activation.completed').length;
    expect(critics).toBeGreaterThan(6);

    const fork = await runtime.runs.fork(run, { at: 'a3', output: textMessage('assistant', 'EDITED', '') });
    const forked = await endedRun(runtime.runs, fork);

    const journal = await journalOf(runtime.store, fork);
    const at = journal.findIndex(({ event }) => event.type === 'run.forked');
    expect(settledBy(journal.slice(0, at), 'activation.completed')).toEqual(['a1', 'a2']);
    expect(settledBy(journal.slice(at), 'step.started')).not.toContain('a3');
    expect(forked.status).toBe('completed');
    expect(await audit(runtime.store, fork, vocabulary)).toEqual([]);
  });

  it('changes the output of one unit of a map and keeps the others', async () => {
    const { runtime } = await open(where);
    const run = await runtime.runs.start({ workflow: workflowOf(map, vocabulary), input: map.input });
    const first = await endedRun(runtime.runs, run);
    const ready = (await journalOf(runtime.store, run)).flatMap(({ event }) =>
      event.type === 'activation.ready' && event.unit === 6 ? [event.activation] : [],
    );
    const at = ready[0] ?? 'a0';

    const fork = await runtime.runs.fork(run, { at, output: textMessage('assistant', 'EDITED', '') });
    const forked = await endedRun(runtime.runs, fork);

    expect(forked.status).toBe('completed');
    expect(JSON.stringify(forked.outputs)).toContain('EDITED');
    expect(JSON.stringify(first.outputs)).not.toContain('EDITED');
    expect(await audit(runtime.store, fork, vocabulary)).toEqual([]);
  });

  it('executes the activation again without a given output', async () => {
    const model = await startModel();
    const { runtime } = await open(where);
    const run = await runtime.runs.start({ workflow: twoAgents(model.url), input: 'go' });
    await endedRun(runtime.runs, run);

    const edited = await runtime.runs.fork(run, { at: 'a2', output: textMessage('assistant', 'EDITED', '') });
    expect((await endedRun(runtime.runs, edited)).outputs['B']).toBe('EDITED');
    const fork = await runtime.runs.fork(edited, { at: 'a2' });
    const forked = await endedRun(runtime.runs, fork);

    expect(forked.outputs).toEqual({ A: 'said after 3', B: 'said after 9' });
    expect(await audit(runtime.store, fork, vocabulary)).toEqual([]);
    expect(resultOf(await endedRun(runtime.runs, await runtime.runs.replay(fork)))).toEqual(resultOf(forked));
    expect(model.made()).toBe(9);
  });
});
