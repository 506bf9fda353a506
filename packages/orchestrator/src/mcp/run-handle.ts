import { taskOf } from '@millrace/api';
import { carriedData, textOf } from '@millrace/core';
import type { Namespace, RunDescription } from '@millrace/runtime';
import { describeIdle } from '../until-idle.ts';

/** How a run stands once it has ended or asks somebody, or when the time is up, with what can be done next. */
export async function handleOf(
  space: Namespace,
  run: string,
  { waitSeconds, signal }: { readonly waitSeconds: number; readonly signal: AbortSignal },
): Promise<Record<string, unknown>> {
  return shown(await describeIdle(space, run, { waitMs: waitSeconds * 1000, signal }));
}

function shown({ run, status, output, error, stop, tasks, finishedAt }: RunDescription): Record<string, unknown> {
  const data = output && carriedData(output);
  return {
    runId: run,
    status,
    ...(output === undefined ? {} : { output: textOf(output) }),
    ...(data === undefined ? {} : { data }),
    ...(error === undefined ? {} : { error }),
    ...(stop === undefined ? {} : { stop }),
    ...(tasks.length === 0 ? {} : { tasks: tasks.map(taskOf) }),
    ...(finishedAt === undefined ? { next: nextOf(tasks.length > 0) } : {}),
  };
}

const nextOf = (asks: boolean): string =>
  asks
    ? 'It waits for answers: answer its tasks with answer_task, or let a person do it, and call get_run.'
    : 'It goes on by itself: call get_run with this runId to wait for it.';
