import type { Client } from '../client.ts';
import type { Run, RunResult } from '../generated/schemas.ts';
import type { Duration } from '../http/duration.ts';
import { toMilliseconds } from '../http/duration.ts';
import { RunCancelledError, RunFailedError, WaitTimeoutError } from '../http/problem.ts';
import { createRetryWindow, defaultRetryWindowMs } from '../http/retry-window.ts';
import { backoffMs, sleep } from '../http/sleep.ts';

/** Time limit of one waiting request, in milliseconds: less than proxies usually allow. */
const waitMs = 30_000;
const maxPollDelayMs = 5_000;

/** Options of waiting for a result. */
export interface ResultOptions {
  /** Time limit of the wait; absent: none. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal | undefined;
  /** Time that the server may be unreachable before the method throws; default 5 minutes. */
  readonly patience?: Duration;
}

/** Waits for the end of a run and returns its result. Throws RunFailedError, RunCancelledError or WaitTimeoutError. */
export async function waitForResult(client: Client, run: string, options: ResultOptions): Promise<RunResult> {
  const { timeout, signal, patience: borne = defaultRetryWindowMs } = options;
  const retryWindow = createRetryWindow(toMilliseconds(borne));
  const until = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + toMilliseconds(timeout);
  for (let failures = 0; ; ) {
    const left = Math.max(0, Math.min(waitMs, until - Date.now()));
    try {
      const input = { id: run, wait: `${Math.ceil(left)}ms`, until: 'ended' } as const;
      const described = await client.call('runs.get', input, { extraTimeoutMs: left, signal });
      if (described.finishedAt !== undefined) return resultOrThrow(described);
      if (Date.now() >= until) throw new WaitTimeoutError(run);
      retryWindow.reset();
      failures = 0;
    } catch (error) {
      signal?.throwIfAborted();
      retryWindow.check(error);
      if (Date.now() >= until) throw error;
      await sleep(Math.min(backoffMs(failures, maxPollDelayMs), until - Date.now()), signal);
      failures += 1;
    }
  }
}

/** Returns the result of a run that has ended. Throws RunFailedError or RunCancelledError. */
function resultOrThrow(run: Run): RunResult {
  const { runId, status, error, stop } = run;
  const why = error?.message ?? stop?.text;
  if (status === 'cancelled') {
    throw new RunCancelledError(run, error?.code ?? 'CANCELLED', `Run ${runId} was cancelled: ${why ?? ''}`);
  }
  if (status === 'failed' || stop?.code === 'budget') {
    const code = error?.code ?? stop?.code ?? 'INTERNAL';
    throw new RunFailedError(run, code, `Run ${runId} has ${status === 'failed' ? 'failed' : 'ended'}: ${why ?? code}`);
  }
  return run;
}
