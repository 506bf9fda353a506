import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Extensions } from '@millrace/catalog';
import { createVocabulary } from '@millrace/catalog';
import type { ActivationId, JournalEntry, Message, Plan, ToolRule, Vocabulary, Workflow } from '@millrace/core';
import { compile, questionOf, readWorkflow, textMessage } from '@millrace/core';
import type { RunDescription, Runtime, RuntimeLocation } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import type { SandboxLevel } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { entriesOf } from './watching.ts';

/** A runtime with one worker, to run workflows to their end. */
export interface Stage {
  readonly runtime: Runtime;
  readonly vocabulary: Vocabulary;
  /** Starts a run of a workflow or its text, and plays its people, who answer by node; without an answer the run is left waiting. */
  run(workflow: Workflow | string, input: string, answer?: Answer): Promise<EndedRun>;
  close(): Promise<void>;
}

/** Answer of a person to a question of a node; `asked` counts the questions of that node from 1. */
export type Answer = (question: {
  readonly run: string;
  readonly node: string;
  readonly asked: number;
}) => string | Promise<string>;

/** A run that has ended. */
export interface EndedRun {
  readonly description: RunDescription;
  readonly journal: readonly JournalEntry[];
  /** Returns the outputs of a root graph node's executions, one list each, in the order in which they ended. */
  executions(node: string): Promise<readonly (readonly Message[])[]>;
}

/** Location and settings of a stage. */
export interface Site {
  readonly where: RuntimeLocation;
  /** Milliseconds since 1970 for nodes that measure time, in place of the store's clock. */
  readonly now?: () => number;
  /** Directory for the files of nodes' programs; default: one that is removed with the stage. */
  readonly workspaces?: string;
  /** The worker's variables for secret fields; default: those of the process. */
  readonly secret?: (name: string) => string | undefined;
  /** Destinations that runs may reach beside public addresses; default: those that the worker allows. */
  readonly outbound?: readonly string[];
  readonly memoryFiles?: readonly string[];
  /** Functions of the installation. */
  readonly extensions?: Extensions;
  /** Level of confinement for programs of nodes; default: the best that the machine supports. */
  readonly sandbox?: SandboxLevel;
  /** Policy of the operator for calls of tools; default: none. */
  readonly toolPolicy?: readonly ToolRule[];
}

/** Opens a stage; temporary errors are reported on stderr. */
export async function openStage(site: Site): Promise<Stage> {
  const { where, now, workspaces, secret, outbound, memoryFiles, extensions, sandbox, toolPolicy } = site;
  const own = await mkdtemp(join(tmpdir(), 'millrace-stage-'));
  const vocabulary = createVocabulary(extensions);
  const report = (message: string, error: unknown) => process.stderr.write(`${message}: ${String(error)}\n`);
  const runtime = await openRuntime(where, vocabulary, report);
  if (now !== undefined) Object.assign(runtime.runs, { now });
  const worker = startWorker({
    runtime,
    vocabulary,
    concurrency: 4,
    name: 'test',
    log: pino({ level: 'warn' }, process.stderr),
    workspaces: workspaces ?? own,
    ...(secret === undefined ? {} : { secret }),
    ...(outbound === undefined ? {} : { outbound }),
    ...(memoryFiles === undefined ? {} : { memoryFiles }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(toolPolicy === undefined ? {} : { toolPolicy }),
  });
  const read = (given: Workflow | string) => (typeof given === 'string' ? workflowIn(given, vocabulary) : given);
  return {
    runtime,
    vocabulary,
    async run(given, input, answer) {
      const workflow = read(given);
      const plan = compile(workflow, vocabulary);
      const run = `run_${randomUUID().replaceAll('-', '')}`;
      await runtime.runs.start({ workflow, input, run });
      const journal: JournalEntry[] = [];
      const nodes = new Map<ActivationId, string>();
      const asked = new Map<string, number>();
      for await (const entry of entriesOf(runtime.runs, run)) {
        journal.push(entry);
        const { event } = entry;
        if (event.type === 'activation.ready') nodes.set(event.activation, nameOf(plan, event.node));
        if (event.type !== 'activation.suspended' || event.wait.kind === 'event' || answer === undefined) continue;
        const node = nodes.get(event.activation) ?? '';
        asked.set(node, (asked.get(node) ?? 0) + 1);
        const text = await answer({ run, node, asked: asked.get(node) ?? 1 });
        await runtime.runs.answer(run, questionOf(event), { message: textMessage('user', text, 'person') });
      }
      const description = await runtime.runs.describe(run);
      if (description === undefined) throw new Error(`there is no run ${run}`);
      return { description, journal, executions: (node) => executionsOf(runtime, { run, plan, journal, node }) };
    },
    async close() {
      await worker.close();
      await runtime.close();
      await rm(own, { recursive: true, force: true });
    },
  };
}

const nameOf = (plan: Plan, node: number): string => plan.graphs.get('')?.nodes[node]?.id ?? '';

interface NodeQuery {
  readonly run: string;
  readonly plan: Plan;
  readonly journal: readonly JournalEntry[];
  readonly node: string;
}

function executionsOf({ runs }: Runtime, { run, plan, journal, node }: NodeQuery): Promise<readonly Message[][]> {
  const inner = new Set<string>();
  const wanted = new Set<string>();
  const ended: (readonly Message[] | Promise<readonly Message[]>)[] = [];
  for (const { event } of journal) {
    if (event.type === 'graph.entered' && event.graph !== '') inner.add(event.scope);
    if ('parent' in event && inner.has(event.parent)) inner.add(event.scope);
    if (event.type === 'activation.ready' && !inner.has(event.scope) && nameOf(plan, event.node) === node) {
      wanted.add(event.activation);
    }
    if (event.type !== 'activation.completed' || !wanted.has(event.activation)) continue;
    ended.push(runs.messages(run, event.outputs));
  }
  return Promise.all(ended.map(async (outputs) => [...(await outputs)]));
}

/** The workflow of a document; throws with the problems of a wrong one. */
export function workflowIn(text: string, vocabulary: Vocabulary): Workflow {
  const { workflow, issues } = readWorkflow({ file: 'test.yaml', text }, { vocabulary, mode: 'run' });
  if (workflow === undefined) throw new Error(issues.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return workflow;
}
