import { createVocabulary } from '@millrace/catalog';
import type { Wake, Workflow } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Steps } from './step.ts';
import { createSteps } from './step.ts';

const vocabulary = createVocabulary();
const text = 'graph:\n  id: g\n  start: [A]\n  nodes:\n    - {id: A, type: literal, config: {content: a}}\n';

function workflow(): Workflow {
  const read = readWorkflow({ file: 'g.yaml', text }, { vocabulary, mode: 'run' });
  if (read.workflow === undefined) throw new Error(JSON.stringify(read.issues));
  return read.workflow;
}

const counting = { tallies: (read: (key: string) => number) => ({ calls: read('calls') }) };

describe('two attempts at one activation', () => {
  let runtime: Runtime;
  let wake: Wake;
  const attempt = (): Steps =>
    createSteps(runtime, {
      wake,
      attempt: { run: wake.run, activation: wake.activation, node: 'A', segment: 1 },
      signal: new AbortController().signal,
      changes: async () => [],
    });

  beforeEach(async () => {
    runtime = await openRuntime({ local: true }, vocabulary, () => undefined);
    await runtime.runs.start({ workflow: workflow(), input: 'task' });
    [wake] = (await runtime.store.agenda()) as [Wake]; // the one node of the graph is due
  });

  const eventsOf = async () => (await runtime.store.journal(wake.run, '0', 100)).map(({ event }) => event.type);

  it('share a step that both begin, and the result that is there first', async () => {
    const ask = (value: string) => ({ name: 'ask', request: 'q', ...counting, action: async () => ({ value }) });

    const results = await Promise.all([attempt().take(ask('one')), attempt().take(ask('two'))]);

    expect(new Set(results).size).toBe(1);
    expect((await eventsOf()).filter((type) => type.startsWith('step.'))).toEqual(['step.started', 'step.completed']);
    expect((await runtime.runs.refresh(wake.run))?.state.get('tally/calls')).toBe(1);
  });

  it('do not lose what the one that is ahead has found out', async () => {
    const ask = (request: string) => ({ name: 'ask', request, action: async () => ({ value: `re: ${request}` }) });
    const ahead = attempt();
    await ahead.take(ask('first'));

    const late = attempt().take({
      name: 'ask',
      request: 'first',
      action: async () => ({ value: 'never asked' }),
    });
    const [second, again] = await Promise.all([ahead.take(ask('second')), late]);

    expect([again, second]).toEqual(['re: first', 're: second']);
  });

  it('end without a result when the other one has asked for something else', async () => {
    const slow = attempt().take({
      name: 'ask',
      request: 'old',
      async action() {
        await attempt().take({ name: 'ask', request: 'new', action: async () => ({ value: 'new' }) });
        return { value: 'old' };
      },
    });

    await expect(slow).rejects.toMatchObject({ name: 'Interrupted' });
  });
});
