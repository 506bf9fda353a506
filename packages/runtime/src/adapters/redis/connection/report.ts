import { LocationError } from '../location/master-locator.ts';
import { outageOf } from '../outages/outage.ts';
import type { OnOutage } from '../outages/outage-monitor.ts';

/** Reports a problem; the error is the thrown value, or undefined when the message is complete. */
export type Report = (message: string, error?: unknown) => void;

/** Minimum time between two lines with the same message. */
const quietMs = 1000;
/** Number of messages whose last lines are remembered: some contain ids. */
const maxRemembered = 1000;

const connectionCodes: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/** Reports an error unless an outage of Redis is its cause, which has a separate line. */
export const withoutOutages =
  (report: Report): Report =>
  (message, error) => {
    if (outageOf(error) === undefined) report(message, error);
  };

/** The same for errors of a connection to Redis, which are outages when the connection is broken. */
export const withoutBrokenConnections =
  (report: Report): Report =>
  (message, error) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (!connectionCodes.has(code) && !(error instanceof LocationError)) report(message, error);
  };

/** Errors of BullMQ for a job whose lock has expired: another worker has it, or has done it. */
const lostJob =
  /^(Missing (lock|key)|Lock mismatch) for job |^could not renew lock for job |^Job \S+ is not in the active state/;
/** Time after an outage within which workers notice such jobs, in milliseconds. */
const noticedWithinMs = 10_000;

/** The same for jobs whose locks have expired during an outage; `note` takes in the reports of outages. */
export function withoutLostJobs(report: Report): {
  readonly report: Report;
  readonly note: OnOutage;
} {
  let until = Number.NEGATIVE_INFINITY;
  return {
    report(message, error) {
      const isLost = error instanceof Error && lostJob.test(error.message);
      if (!isLost || performance.now() > until) report(message, error);
    },
    note(news) {
      until = 'outage' in news ? Number.POSITIVE_INFINITY : performance.now() + noticedWithinMs;
    },
  };
}

/** Reports each error at most once a second by its message; the next line contains the number of errors in between. */
export function atMostOnceASecond(report: Report): Report {
  const reported = new Map<string, { at: number; more: number }>();
  return (message, error) => {
    if (error === undefined) return report(message);
    const now = performance.now();
    const before = reported.get(message);
    if (before !== undefined && now - before.at < quietMs) {
      before.more += 1;
      return;
    }
    // In the order of their last lines.
    reported.delete(message);
    reported.set(message, { at: now, more: 0 });
    const [oldest] = reported.keys();
    if (reported.size > maxRemembered && oldest !== undefined) reported.delete(oldest);
    report(before === undefined || before.more === 0 ? message : `${message} (${before.more} more before)`, error);
  };
}
