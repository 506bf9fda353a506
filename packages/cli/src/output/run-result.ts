import type { Run } from '@millrace/client';
import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';

/** Returns a run for `--json`. `tasks` is present while questions are open. */
export function resultJson(run: Run): unknown {
  const { runId, status, output, outputs, usage, usageByNode, budget, error, stop, tasks } = run;
  // An older server sends no data.
  const { data = null, dataByNode = {} } = run;
  return {
    runId,
    status,
    output,
    outputs,
    data,
    dataByNode,
    usage,
    usageByNode,
    ...(budget === null ? {} : { budget }),
    error,
    ...(stop === null ? {} : { stop }),
    ...(tasks.length === 0 ? {} : { tasks: tasks.map(({ runId: _of, ...task }) => task) }),
  };
}

/** Returns a line about each boss that did not reach its goal. */
export const unfinishedIn = ({ dataByNode = {} }: Run): readonly string[] =>
  Object.entries(dataByNode).flatMap(([node, { status, rounds, summary }]) =>
    status === 'unfinished' && typeof rounds === 'number'
      ? [`! "${node}" did not reach its goal: ${String(summary)}`]
      : [],
  );

const codes: { readonly [S in Run['status']]: ExitCode } = {
  running: exitCodes.interrupted,
  waiting: exitCodes.waiting,
  paused: exitCodes.interrupted,
  stopping: exitCodes.interrupted,
  completed: exitCodes.completed,
  failed: exitCodes.failed,
  cancelled: exitCodes.failed,
  terminated: exitCodes.completed,
};

/** Returns the exit code after a run was followed to this status. */
export const exitOf = ({ status, stop }: Run): ExitCode =>
  status === 'terminated' && stop?.code === 'budget' ? exitCodes.failed : codes[status];
