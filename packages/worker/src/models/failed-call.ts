import type { NodeError, StepAction } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import { AttemptPostponed } from '../context/interrupted.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { maxSlotWaitMs } from './rate-limit-slot.ts';

/** As much of the error of a call as the retry policy and people need. */
export interface FailedModelCall {
  readonly code: string;
  readonly message: string;
  readonly transient: boolean;
  readonly status?: number;
  readonly types?: readonly string[];
  readonly retryAfterSeconds?: number;
  /** It cost nothing. */
  readonly free?: true;
}

/** The stored parts of the error that a call ended with. */
export function failedModelCallOf(error: NodeError & Partial<FailedModelCall>): FailedModelCall {
  const { code, message, transient, status, types, retryAfterSeconds, free } = error;
  return omitUndefined({ code, message, transient, status, types, retryAfterSeconds, free });
}

/** Longest delay that is accepted, so that no server can stop a run for hours. */
const maxDelayMs = 60_000;

/** Returns the delay that a failure demands of all callers, in milliseconds; undefined if it demands none. */
export const rateLimitDelayMs = ({ code, status, retryAfterSeconds = 1 }: FailedModelCall): number | undefined =>
  status === 429 && code !== 'MODEL_QUOTA' ? Math.min(maxDelayMs, retryAfterSeconds * 1000) : undefined;

/** Waits before a call is made again: here for a short time, or elsewhere for a longer one. */
export async function waitBeforeRetry(
  { runs }: Pick<WorkerContext, 'runs'>,
  ms: number,
  { signal, sleep }: Pick<StepAction, 'signal' | 'sleep'>,
): Promise<void> {
  if (ms > maxSlotWaitMs) throw new AttemptPostponed(runs.now() + ms);
  await sleep(ms, signal);
}
