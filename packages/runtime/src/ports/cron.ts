import { RequestError } from '@millrace/core';
import { CronExpressionParser } from 'cron-parser';

/** Times that recur. */
export interface Cron {
  /** Five fields, or six with seconds first, or a name such as `@daily`. */
  readonly cron: string;
  /** A name of the IANA database, as in `Europe/Berlin`. */
  readonly timezone: string;
}

/** Throws RequestError for invalid recurring times. */
export function assertCron(cron: Cron): void {
  if (!isTimezone(cron.timezone))
    throw new RequestError('CRON_INVALID', `There is no time zone "${cron.timezone}". Name one as in Europe/Berlin.`);
  const named = cron.cron.trim();
  if (named.startsWith('@') && expressionOf(named).startsWith('@')) throw unknownName(named);
  // The parser fills in missing fields.
  if (!/^(\S+\s+){4,5}\S+$/.test(expressionOf(cron.cron).trim()))
    throw new RequestError(
      'CRON_INVALID',
      `"${cron.cron}" names no times: it needs five fields, six with seconds first, or a name such as @daily.`,
    );
  try {
    nextTick(cron, 0);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RequestError('CRON_INVALID', `"${cron.cron}" names no times: ${reason}.`);
  }
}

/** The names that cron knows for expressions. */
const expressions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '@yearly': '0 0 1 1 *',
    '@annually': '0 0 1 1 *',
    '@monthly': '0 0 1 * *',
    '@weekly': '0 0 * * 0',
    '@daily': '0 0 * * *',
    '@midnight': '0 0 * * *',
    '@hourly': '0 * * * *',
  }),
);

/** Returns the fields that a name stands for; anything else unchanged. */
const expressionOf = (cron: string): string => expressions.get(cron.trim().toLowerCase()) ?? cron;

function unknownName(name: string): RequestError {
  const names = [...expressions.keys()].join(', ');
  const why =
    name.toLowerCase() === '@reboot'
      ? 'an installation has many processes, and no time at which it starts'
      : 'there is no such name';
  return new RequestError('CRON_INVALID', `"${name}" names no times: ${why}. Write one of ${names}, or five fields.`);
}

/** The first time after `after`; milliseconds since 1970. */
export const nextTick = ({ cron, timezone }: Cron, after: number): number =>
  CronExpressionParser.parse(expressionOf(cron), { currentDate: new Date(after), tz: timezone })
    .next()
    .getTime();

/** Returns the first `count` times after `after`; all in milliseconds since 1970. */
export function ticksAfter({ cron, timezone }: Cron, after: number, count: number): readonly number[] {
  const times = CronExpressionParser.parse(expressionOf(cron), { currentDate: new Date(after), tz: timezone });
  return times.take(count).map((time) => time.getTime());
}

/** The last `limit` times from `from` to `to`, both included, oldest first. */
export function ticksBetween(
  { cron, timezone }: Cron,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): readonly number[] {
  const times = CronExpressionParser.parse(expressionOf(cron), { currentDate: new Date(to + 1), tz: timezone });
  const found: number[] = [];
  while (found.length < limit) {
    const at = times.prev().getTime();
    if (at < from) break;
    found.push(at);
  }
  return found.reverse();
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
