import { outageOf } from './outage.ts';

/** Tells people of trouble; the error is what was thrown, whatever it is, or undefined when the message says it all. */
export type Report = (message: string, error?: unknown) => void;

/** Between two lines with the same message. */
const quietMs = 1000;

const connectionCodes: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/** Reports an error unless it comes of an outage of Redis, of which people are told in a line of its own. */
export const withoutOutages =
  (report: Report): Report =>
  (message, error) => {
    if (outageOf(error) === undefined) report(message, error);
  };

/** The same for errors of a connection to Redis, which are outages when they say that it is broken. */
export const withoutBrokenConnections =
  (report: Report): Report =>
  (message, error) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (!connectionCodes.has(code)) report(message, error);
  };

/** Reports each error at most once a second by its message; the next line says how many there were in between. */
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
