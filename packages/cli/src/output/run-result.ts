import type { Run } from '@millrace/client';
import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';

/** Returns a run as `--json` shows it. `tasks` is there while somebody has to answer. */
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

/** Says of each boss that did not reach its goal what it has come to. */
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
