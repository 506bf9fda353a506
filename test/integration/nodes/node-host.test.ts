import { createVocabulary } from '@millrace/catalog';
import { defineNode, noRetries, readWorkflow, textMessage } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { untilEnded } from '../../support/runs/watching.ts';

const request = {
  provider: 'scripted',
  model: 'm',
  messages: [],
  params: { default: { text: 'said' } },
  retry: noRetries,
};

/** A node type of an installation that takes the functions that it needs out of its host. */
const own = defineNode<unknown>({
  type: 'own',
  summary: 'Uses its host.',
  config: z.strictObject({}),
  async execute(_config, _input, { node, now, note, step, chat, recall, remember, ask, runProgram, mcp }) {
    note({ kind: 'memory_query', text: 'a question' });
    const made = await step('make', {}, async () => (now() > 0 ? 'made' : 'never'));
    const { text } = await chat(request);
    const memories = await recall({ stage: 'gen', uses: [], role: '', query: '' });
    await remember({ role: '', input: '', output: '' }, []);
    const answer = await ask({ kind: 'human', prompt: 'Why?', input: '' });
    mcp({ type: 'remote', url: 'http://127.0.0.1:1', headers: {}, timeoutSeconds: 1 });
    const program = { interpreter: 'none', args: [], env: {}, timeoutSeconds: 1, encoding: 'utf-8', script: '' };
    const { end } = await runProgram(program);
    const output = [made, text, memories, answer, end.type].join();
    return { type: 'completed', outputs: [textMessage('assistant', output, node)] };
  },
});

it('passes a node type functions that work without their host', async () => {
  const known = createVocabulary();
  const vocabulary = { ...known, nodes: new Map([...known.nodes, [own.type, own] as const]) };
  const runtime = await openRuntime({ local: true }, vocabulary, () => undefined);
  onTestFinished(() => runtime.close());
  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'w', log: pino({ level: 'silent' }) });
  onTestFinished(() => worker.close());
  const text = 'graph:\n  id: g\n  nodes:\n    - {id: Own, type: own, config: {}}\n';
  const { workflow } = readWorkflow({ file: 'x.yaml', text }, { vocabulary, mode: 'run', environment: {} });
  if (workflow === undefined) throw new Error('the workflow is invalid');

  const run = await runtime.runs.start({ workflow, input: '' });
  await untilEnded(runtime.runs, run);

  const description = await runtime.runs.describe(run);
  expect(description?.error).toBeUndefined();
  expect(description?.outputs).toEqual({ Own: 'made,said,,,missing' });
});
