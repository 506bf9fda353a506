import type { EventOf, EventType, JournalEntry, RunId } from '@millrace/core';
import { CallLost, defineTool, textOf } from '@millrace/core';
import type { RunDescription, Task } from '@millrace/runtime';
import { z } from 'zod';
import type { Stage } from './stage.ts';
import { workflowIn } from './stage.ts';
import { entriesOf } from './watching.ts';

interface Transfer {
  readonly to: string;
  readonly amount: number;
}

/** Calls of `transfer` that were made. */
export const made: Transfer[] = [];
const transfer = defineTool<Transfer>({
  name: 'transfer',
  description: 'Transfers money.',
  parameters: z.object({ to: z.string(), amount: z.number() }),
  effect: 'once',
  execute({ to, amount }) {
    made.push({ to, amount });
    return `transferred ${amount} to ${to}`;
  },
});
const note = defineTool<{ word: string }>({
  name: 'note',
  description: 'Notes a word.',
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => `noted ${word}`,
});
const lose = defineTool<{ to: string }>({
  name: 'lose',
  description: 'Transfers money, and never answers.',
  parameters: z.object({ to: z.string() }),
  effect: 'once',
  execute({ to }) {
    made.push({ to, amount: 0 });
    throw new CallLost('no answer');
  },
});
export const extensions = { tools: [transfer, note, lose] };
let calls = 0;
export const call = (name: string, args: unknown) => ({ name, arguments: args, id: `c${++calls}` });
export const pay = (amount: number, to = 'bob') => call('transfer', { to, amount });

const askAbove100 = '[{tool: transfer, when: {path: amount, above: 100}, do: ask}]';

export const repliesWith = (wanted: readonly unknown[]) => ({
  rules: [
    { when: { last_role: 'tool' }, reply: '{last}' },
    { when: {}, reply: { tool_calls: wanted } },
  ],
});

/** An agent whose model makes these calls at once, and then repeats the last result. */
export const document = (wanted: readonly unknown[], policy = askAbove100, graph = '') => `
graph:
  id: bank
  ${graph}
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify(repliesWith(wanted))}
        tooling:
          - {type: function, config: {tools: [{name: transfer}, {name: note}, {name: lose}]}, policy: ${policy}}
`;

export const of = <T extends EventType>(journal: readonly JournalEntry[], type: T): readonly EventOf<T>[] =>
  journal.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));

/** Starts a run and waits until so many calls are asked about. */
export async function start(
  stage: Stage,
  text: string,
  questions = 1,
): Promise<{ run: RunId; tasks: readonly Task[] }> {
  const run = await stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input: 'pay' });
  return { run, tasks: await asked(stage, run, questions) };
}

export async function asked(stage: Stage, run: RunId, questions = 1): Promise<readonly Task[]> {
  let seen = 0;
  for await (const { event } of entriesOf(stage.runtime.runs, run))
    if (event.type === 'tool.asked' && ++seen === questions) return stage.runtime.runs.tasks(run);
  throw new Error(`run ${run} has ended after ${seen} questions`);
}

const place = ({ activation, call: one }: Task) => ({ ...one, activation, place: one?.place ?? 0 });
export const decide = ({ runtime }: Stage, task: Task, decision: Parameters<typeof runtime.runs.decide>[2]) =>
  runtime.runs.decide(task.run, place(task), decision);
export const approve = { decision: 'approve', by: 'ann' } as const;

export const output = ({ output: message }: RunDescription): string => (message === undefined ? '' : textOf(message));
