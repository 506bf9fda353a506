import { LocationError } from './location/master-locator.ts';
import { outageOf } from './outages/outage.ts';

/** Reports a problem; the error is the thrown value, or undefined when the message is complete. */
export type Report = (message: string, error?: unknown) => void;

/** Minimum time between two lines with the same message. */
const quietMs = 1000;

const connectionCodes: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/** Reports an error unless an outage of Redis is its cause, which has a line of its own. */
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

/** Reports each error at most once a second by its message; the next line contains the number of errors in between. */
export function atMostOnceASecond(report: Report): Report {
  const said = new Map<string, { at: number; more: number }>();
  return (message, error) => {
    if (error === undefined) return report(message);
    const now = performance.now();
    const before = said.get(message);
    if (before !== undefined && now - before.at < quietMs) {
      before.more += 1;
      return;
    }
    said.set(message, { at: now, more: 0 });
    report(before === undefined || before.more === 0 ? message : `${message} (${before.more} more before)`, error);
  };
}
