import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { ActivationId, JournalEntry } from '@millrace/core';
import { defineTool, questionOf, readWorkflow, textMessage, textOf } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import type { RunningWorker } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { entriesOf } from '../../support/runs/watching.ts';

let runtime: Runtime;
let worker: RunningWorker;
afterEach(async () => {
  await worker.close();
  await runtime.close();
});

const made: string[] = [];
const note = defineTool<{ word: string }>({
  name: 'note',
  description: 'Notes a word.',
  parameters: z.object({ word: z.string() }),
  execute({ word }) {
    made.push(word);
    return `noted ${word}`;
  },
});

const call = (name: string, args: unknown, id: string) => ({ name, arguments: args, id });

/** An agent whose model answers with these replies, one after the other, in a loop with a person who ends it. */
const document = (replies: readonly unknown[], window = 0) => `
version: 0.4.0
graph:
  id: tools
  start: [A]
  end: [A]
  nodes:
    - id: A
      type: agent
      context_window: ${window}
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify({ rules: [{ when: {}, replies }] })}
        tooling: [{ type: function, config: { tools: [{ name: note }, { name: call_user }] } }]
    - id: H
      type: human
      config: {}
  edges:
    - { from: A, to: H }
    - { from: H, to: A, condition: { type: keyword, config: { none: [stop] } } }
`;

/** Runs it; people answer in turn. */
async function run(text: string, answers: readonly string[]) {
  const vocabulary = createVocabulary({ tools: [note] });
  const { workflow, issues } = readWorkflow({ file: 'tools.yaml', text }, { vocabulary, mode: 'run', environment: {} });
  if (workflow === undefined) throw new Error(JSON.stringify(issues));
  runtime = await openRuntime({ local: true }, vocabulary, (message) => process.stderr.write(message));
  worker = startWorker({ runtime, vocabulary, concurrency: 2, name: 'w', log: pino({ level: 'silent' }) });
  const id = `run_${randomUUID().replaceAll('-', '')}`;
  await runtime.runs.start({ workflow, input: 'go', run: id });
  const journal: JournalEntry[] = [];
  const waits: string[] = [];
  for await (const entry of entriesOf(runtime.runs, id)) {
    journal.push(entry);
    if (entry.event.type !== 'activation.suspended') continue;
    waits.push(entry.event.wait.prompt);
    await runtime.runs.answer(id, questionOf(entry.event), {
      message: textMessage('user', answers[waits.length - 1] ?? 'stop', 'p'),
    });
  }
  return { id, journal, waits };
}

const steps = (journal: readonly JournalEntry[], activation: ActivationId): readonly string[] =>
  journal.flatMap(({ event }) =>
    event.type === 'step.completed' && event.activation === activation ? [event.type] : [],
  );

describe('an agent that asks people in the middle of an activation', () => {
  it('matches each answer with its question, and repeats nothing', async () => {
    made.length = 0;
    const { id, journal, waits } = await run(
      document([
        { tool_calls: [call('note', { word: 'one' }, 'c1'), call('call_user', { instruction: 'First?' }, 'c2')] },
        { tool_calls: [call('call_user', { instruction: 'Second?' }, 'c3'), call('note', { word: 'two' }, 'c4')] },
        '{last}',
      ]),
      ['Ada', 'Bob', 'stop'],
    );

    const output = journal.findLast(({ event }) => event.type === 'activation.completed' && event.outputs.length > 0);
    const first = journal.find(({ event }) => event.type === 'activation.completed');
    const ref = first?.event.type === 'activation.completed' ? first.event.outputs[0] : undefined;
    const [body] = ref === undefined ? [] : await runtime.runs.bodies(id, [ref.id]);
    const trace = body?.metadata?.['context_trace'] as readonly { role: string; content: string }[]; // as the agent writes it
    expect(output).toBeDefined();
    expect(waits).toEqual(['First?', 'Second?', '']);
    expect(made).toEqual(['one', 'two']);
    expect(trace.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      'noted one',
      'Ada',
      'Bob',
      'noted two',
    ]);
    expect(body === undefined ? '' : textOf(body)).toBe('noted two');
    expect(steps(journal, 'a1')).toHaveLength(7);
  });
});

describe('an agent with a context window', () => {
  it('sees its tool calls with their results when it runs again', async () => {
    const seen = '{last_user} after {n}';
    const { id, journal } = await run(
      document([{ text: 'let me note', tool_calls: [call('note', { word: 'x' }, 'c1')] }, 'noted', seen], -1),
      ['again', 'stop'],
    );

    const inputs = journal.flatMap(({ event }) =>
      event.type === 'activation.completed' && event.activation === 'a1' ? event.routes : [],
    );
    const own = inputs.filter(({ edge }) => edge === -1).flatMap(({ message }) => message ?? []);
    const bodies = await runtime.runs.bodies(
      id,
      own.map((ref) => ref.id),
    );
    expect(own.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
    expect(bodies.map((body) => body.toolCallId ?? body.toolCalls?.[0]?.id)).toEqual(['c1', 'c1', undefined]);
  });
});
