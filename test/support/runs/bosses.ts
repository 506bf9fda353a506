import type { JournalEntry, MessageRef, Plan, Workflow } from '@millrace/core';
import { compile, dataOf, textOf } from '@millrace/core';
import type { Stage } from './stage.ts';
import { workflowIn } from './stage.ts';

/** Result of a run of a boss. */
export interface BossResult {
  readonly run: string;
  readonly status: string;
  readonly text: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
  /** Completed nodes, in order: `<graph>:<node>` with the text of the last output. */
  readonly done: readonly (readonly [node: string, text: string])[];
  /** Returns the prompts to the model of a graph's controller, round by round. */
  prompts(graph: string): Promise<readonly unknown[]>;
  /** Returns the writes of a memory file of the run. */
  written(path: string): Promise<readonly string[]>;
}

/** A workflow of one boss `B`, with these fields beside (or in place of) a usual configuration, in YAML's flow style. */
export const bossOf = (fields: Readonly<Record<string, string>>): string => `
graph:
  id: bosses
  nodes:
    - id: B
      type: boss
      config:
${Object.entries({ ...usual, ...fields })
  .map(([name, value]) => `        ${name}: ${value}`)
  .join('\n')}
`;

const usual = {
  memory_files: '{ plan: memory/plan.txt, logs: memory/logs.txt }',
  controller: "{ config: { provider: scripted, name: m, role: 'PLAN<{{plan}}> LOGS<{{logs}}>' } }",
  executor:
    '{ branches: { say: { description: Say., args: { words: { required: true } }, type: passthrough, config: {} } } }',
};

/** A script in which the controller chooses these, one after the other; a text is an answer without a call. */
export const choosing = (...choices: readonly (string | Call | readonly Call[])[]): Workflow['script'] => ({
  rules: [{ when: { has_tools: true }, replies: choices.map(reply) }],
  default: 'PLAN',
});

/** A command with its arguments. */
export type Call = readonly [name: string, args?: Readonly<Record<string, unknown>>];

function reply(choice: string | Call | readonly Call[]): unknown {
  if (typeof choice === 'string') return choice;
  const calls = (typeof choice[0] === 'string' ? [choice] : choice) as readonly Call[]; // told apart by their first entry
  return {
    // A thought that tells what the model was asked.
    text: '{last_user}',
    tool_calls: calls.map(([name, args = {}], at) => ({ id: `call_${at}`, name, arguments: args })),
  };
}

/** Runs a document on a stage with a script. */
export async function play(
  stage: Stage,
  text: string,
  { script, answers = [] }: { readonly script: Workflow['script']; readonly answers?: readonly string[] },
): Promise<BossResult> {
  const left = [...answers];
  const workflow = workflowIn(text, stage.vocabulary);
  const scripted = script === undefined ? workflow : { ...workflow, script };
  const { description, journal } = await stage.run(scripted, 'the goal', () => left.shift() ?? '');
  const { runs } = stage.runtime;
  const { run, status, output, error } = description;
  const completed = completions(compile(workflow, stage.vocabulary), journal);
  const messages = (outputs: readonly MessageRef[]) => runs.messages(run, outputs);
  return {
    run,
    status,
    text: output === undefined ? undefined : textOf(output),
    data: output === undefined ? {} : dataOf(output),
    error: error?.code,
    done: await Promise.all(
      completed.map(async ({ name, outputs }) => [name, (await messages(outputs)).map(textOf).at(-1) ?? ''] as const),
    ),
    prompts: (graph) =>
      Promise.all(
        completed
          .filter(({ name }) => name === `${graph}:controller`)
          .map(async ({ outputs }) => (await messages(outputs)).map((message) => dataOf(message)['thought'])[0]),
      ),
    written: async (path) =>
      (await runs.memories.memory(`run:${run}:memory:path:memory_file:${path}`, '0', 1000)).items.map(
        ({ text }) => text,
      ),
  };
}

interface Completion {
  readonly name: string;
  readonly outputs: readonly MessageRef[];
}

function completions(plan: Plan, journal: readonly JournalEntry[]): readonly Completion[] {
  const graphs = new Map<string, string>();
  const names = new Map<string, string>();
  return journal.flatMap(({ event }): Completion[] => {
    if (event.type === 'graph.entered') graphs.set(event.scope, event.graph);
    if ('parent' in event) graphs.set(event.scope, graphs.get(event.parent) ?? '');
    if (event.type === 'activation.ready') {
      const graph = graphs.get(event.scope) ?? '';
      names.set(event.activation, `${graph}:${plan.graphs.get(graph)?.nodes[event.node]?.id ?? ''}`);
    }
    if (event.type !== 'activation.completed') return [];
    return [{ name: names.get(event.activation) ?? '', outputs: event.outputs }];
  });
}
