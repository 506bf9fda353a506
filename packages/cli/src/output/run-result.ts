import type { Run } from '@millrace/client';
import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';

/** Returns a run for `--json`. `tasks` is present while questions are open. */
export function resultJson(run: Run): unknown {
  const { runId, status, output, outputs, usage, recorded, data, dataByNode, usageByNode } = run;
  const { budget, warnings, error, stop, tasks } = run;
  return {
    runId,
    status,
    output,
    outputs,
    data,
    dataByNode,
    usage,
    usageByNode,
    ...(recorded === undefined ? {} : { recorded }),
    ...(budget === null ? {} : { budget }),
    ...(warnings.count === 0 ? {} : { warnings }),
    error,
    ...(stop === null ? {} : { stop }),
    ...(tasks.length === 0 ? {} : { tasks: tasks.map(({ runId: _of, ...task }) => task) }),
  };
}

/** Returns a line about each boss that did not reach its goal. */
export const unfinishedIn = ({ dataByNode }: Run): readonly string[] =>
  Object.entries(dataByNode).flatMap(([node, { status, rounds, summary }]) =>
    status === 'unfinished' && typeof rounds === 'number'
      ? [`! "${node}" did not reach its goal: ${String(summary)}`]
      : [],
  );

/** Returns lines about the warnings of a run: one for each node and message, with their number. */
export function warningsIn({ warnings: { count, latest } }: Run): readonly string[] {
  if (count === 0) return [];
  const lines = new Map<string, number>();
  for (const { node, code, message } of latest) {
    const line = `- ${node}: ${message} [${code}]`;
    lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  const rest = count > latest.length ? [`- and ${count - latest.length} before them`] : [];
  const shown = [...lines].map(([line, times]) => (times === 1 ? line : `${line} (${times} times)`));
  return [`! ${count === 1 ? '1 warning' : `${count} warnings`}:`, ...shown, ...rest];
}

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

/** Returns the exit code after a run was followed to this status. With `strict`, one with warnings has failed. */
export const exitOf = ({ status, stop, warnings }: Run, strict = false): ExitCode => {
  const code = status === 'terminated' && stop?.code === 'budget' ? exitCodes.failed : codes[status];
  return strict && code === exitCodes.completed && warnings.count > 0 ? exitCodes.failed : code;
};
