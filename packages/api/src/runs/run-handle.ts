import type { Run } from '../schemas/runs/run.ts';

/** Returns a run as tools show it: its state, and the possible next calls. */
export function handleOf({
  runId,
  status,
  output,
  data,
  error,
  stop,
  tasks,
  finishedAt,
}: Run): Record<string, unknown> {
  return {
    runId,
    status,
    ...(output === null ? {} : { output }),
    ...(data === null ? {} : { data }),
    ...(error === null ? {} : { error }),
    ...(stop === null ? {} : { stop }),
    ...(tasks.length === 0 ? {} : { tasks }),
    ...(finishedAt === undefined ? { next: nextOf(tasks.length > 0) } : {}),
  };
}

const nextOf = (asks: boolean): string =>
  asks
    ? 'It waits for answers: answer its tasks with answer_task, or let a person do it, and call get_run.'
    : 'It continues by itself: call get_run with this runId to wait for it.';
