import type { Run, RunResult } from '@millrace/api';
import type { Duration } from '../http/duration.ts';
import { millisecondsOf } from '../http/duration.ts';
import type { Http } from '../http/http.ts';
import { RunCancelledError, RunFailedError, WaitTimeoutError } from '../http/problem.ts';
import { createPatience, usualPatienceMs } from '../http/retry-window.ts';
import { backoffMs, pause } from '../http/sleep.ts';

/** How long one request waits: less than proxies usually allow. */
const waitMs = 30_000;
const longestPauseMs = 5_000;

/** How long a result is waited for. */
export interface ResultOptions {
  /** Absent: until the run has ended. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
  /** How long the server may be away before it is given up; default 5 minutes. */
  readonly patience?: Duration;
}

/** What a run has come to, once it has ended. */
export async function resultOf(http: Http, run: string, options: ResultOptions): Promise<RunResult> {
  const { timeout, signal, patience: borne = usualPatienceMs } = options;
  const patience = createPatience(millisecondsOf(borne));
  const until = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + millisecondsOf(timeout);
  for (let lost = 0; ; ) {
    const left = Math.max(0, Math.min(waitMs, until - Date.now()));
    try {
      const described = await http.json<Run>(`v1/runs/${encodeURIComponent(run)}`, {
        query: { wait: `${Math.ceil(left)}ms`, until: 'ended' },
        patience: left,
        signal,
      });
      if (described.finishedAt !== undefined) return concluded(described);
      if (Date.now() >= until) throw new WaitTimeoutError(run);
      patience.heard();
      lost = 0;
    } catch (error) {
      signal?.throwIfAborted();
      patience.bear(error);
      if (Date.now() >= until) throw error;
      await pause(Math.min(backoffMs(lost, longestPauseMs), until - Date.now()), signal);
      lost += 1;
    }
  }
}

/** A result, or the error that it is. */
function concluded(run: Run): RunResult {
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
