import type { NodeError } from '@millrace/core';
import { pause } from '../context/abortable-sleep.ts';
import { Postponed } from '../context/postponed.ts';
import type { Crew } from '../context/worker-context.ts';
import { longestWaitMs } from './rate-limit-slot.ts';

/** As much of the error of a call as the retry policy and people need. */
export interface FailedCall {
  readonly code: string;
  readonly message: string;
  readonly transient: boolean;
  readonly status?: number;
  readonly types?: readonly string[];
  readonly retryAfterSeconds?: number;
  /** It cost nothing. */
  readonly free?: true;
}

/** What is kept of the error that a call ended with. */
export function factsOf(error: NodeError & Partial<FailedCall>): FailedCall {
  const { code, message, transient, status, types, retryAfterSeconds, free } = error;
  return {
    code,
    message,
    transient,
    ...(status === undefined ? {} : { status }),
    ...(types === undefined ? {} : { types }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(free === undefined ? {} : { free }),
  };
}

/** Longer pauses are not kept, so that nobody else can stop a run for hours. */
const longestPauseMs = 60_000;

/** How long nobody should ask after this failure; undefined: it says nothing of that. */
export const pauseAfter = ({ status, retryAfterSeconds = 1 }: FailedCall): number | undefined =>
  status === 429 ? Math.min(longestPauseMs, retryAfterSeconds * 1000) : undefined;

/** Waits before a call is made again: here for a short time, or elsewhere for a longer one. */
export async function rest(crew: Crew, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > longestWaitMs) throw new Postponed(crew.runs.now() + ms);
  await pause(ms, signal);
}
