import { carriedData, textOf } from '@millrace/core';
import type { RunDescription, Task } from '@millrace/runtime';
import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';

/** A run as `--json` shows it. `tasks` is there while somebody has to answer. */
export function resultJson(description: RunDescription): unknown {
  const { run, status, output, outputs, dataByNode, usage, usageByNode, budget, error, stop, tasks } = description;
  return {
    runId: run,
    status,
    output: output === undefined ? null : textOf(output),
    outputs,
    data: (output && carriedData(output)) ?? null,
    dataByNode,
    usage,
    usageByNode,
    ...(budget === undefined ? {} : { budget }),
    error: error ?? null,
    ...(stop === undefined ? {} : { stop }),
    ...(tasks.length === 0 ? {} : { tasks: tasks.map(taskOf) }),
  };
}

const taskOf = ({ id, node, wait: { prompt, input, memory } }: Task) => ({
  id,
  node,
  prompt,
  input,
  ...(memory === undefined ? {} : { memory }),
});

/** The final output as text; undefined while there is none. */
export const outputText = ({ output }: RunDescription): string | undefined =>
  output === undefined ? undefined : textOf(output);

/** Says of each boss that did not reach its goal what it has come to. */
export const unfinishedIn = ({ dataByNode }: RunDescription): readonly string[] =>
  Object.entries(dataByNode).flatMap(([node, { status, rounds, summary }]) =>
    status === 'unfinished' && typeof rounds === 'number'
      ? [`! "${node}" did not reach its goal: ${String(summary)}`]
      : [],
  );

const codes: { readonly [S in RunDescription['status']]: ExitCode } = {
  running: exitCodes.interrupted,
  waiting: exitCodes.waiting,
  paused: exitCodes.interrupted,
  stopping: exitCodes.interrupted,
  completed: exitCodes.completed,
  failed: exitCodes.failed,
  cancelled: exitCodes.failed,
  terminated: exitCodes.completed,
};

/** What the process exits with after it has followed a run to this status. */
export const exitOf = ({ status, stop }: RunDescription): ExitCode =>
  status === 'terminated' && stop?.code === 'budget' ? exitCodes.failed : codes[status];
