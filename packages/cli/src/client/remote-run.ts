import type { Run, Artifact as RunArtifact, RunGraphs, RunLine } from '@millrace/api';
import type { ActivationId, LogLevel, Message } from '@millrace/core';
import { textMessage } from '@millrace/core';
import type { Artifact, RunDescription, RunSummary, Task } from '@millrace/runtime';
import type { PlanSummary } from './plan-summary.ts';

/*
 * What the API tells of runs, in the shapes that commands know from the runtime.
 */

/** A run in a list. */
export function summaryOf({
  runId,
  workflow,
  plan,
  status,
  startedAt,
  finishedAt,
  tags,
  asks,
  usage,
}: RunLine): RunSummary {
  return {
    run: runId,
    workflow,
    plan,
    status,
    startedAt,
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(asks === undefined ? {} : { asks }),
    ...(usage === undefined ? {} : { usage }),
  } as RunSummary; // what is absent of a usage is left out, not undefined
}

/** How a run stands. */
export function descriptionOf(told: Run): RunDescription {
  // A server that is older tells no data.
  const { output, data = null, dataByNode = {}, error, budget, stop, trace, tasks, ...rest } = told;
  return {
    ...summaryOf(rest),
    ...rest,
    dataByNode,
    seen: '',
    tasks: tasks.map(taskOf),
    ...(output === null ? {} : { output: outputMessage(output, data) }),
    ...(error === null ? {} : { error }),
    ...(budget === null ? {} : { budget }),
    ...(stop === null ? {} : { stop }),
    ...(trace === null ? {} : { trace }),
  } as RunDescription; // optional fields are left out, not undefined
}

/** The output as the message that it is made of: its text, and the data that it carries. */
const outputMessage = (text: string, data: Run['data']): Message => ({
  ...textMessage('assistant', text, ''),
  ...(data === null ? {} : { content: [{ type: 'data', data, text }] }),
});

const taskOf = ({ id, runId, node, prompt, input, memory }: Run['tasks'][number]): Task => ({
  id,
  run: runId,
  activation: id.slice(id.lastIndexOf('.') + 1) as ActivationId, // a task is RUN.ACTIVATION
  node,
  wait: { kind: 'human', prompt, input, ...(memory === undefined ? {} : { memory }) },
});

/** The files of a run. */
export const artifactsOf = (told: readonly RunArtifact[]): readonly Artifact[] => told as readonly Artifact[]; // ids have the same forms

/** What the journal refers to by number. */
export const planSummaryOf = ({ graphs }: RunGraphs): PlanSummary => ({
  graphs: new Map(
    graphs.map(({ key, logLevel, nodes, items }) => [
      key,
      {
        logLevel: logLevel as LogLevel, // the API has them from the same list
        nodes: nodes.map(({ id, type, guard, waits, discreet }) => ({
          id,
          type,
          guard: guard === true,
          waits: waits === true,
          logOutput: discreet !== true,
        })),
        items: items.map((members) => ({ members })),
      },
    ]),
  ),
});
