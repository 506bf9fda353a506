import type { RunStatus } from '@millrace/core';
import { defaultTenant, tenantOf, withoutTenant } from '@millrace/core';
import type { RunCounts, RunCursor, RunQuery, RunSummary } from './port.ts';

/** Maximum number of runs that are counted one by one. */
export const countLimit = 10_000;

/** Returns the statuses that a query names; undefined when it names none. */
export const statusesOf = ({ status }: Pick<RunQuery, 'status'>): readonly RunStatus[] | undefined =>
  status === undefined ? undefined : [...new Set([status].flat())];

/** Returns whether a list shows a run. */
export const isWanted = (summary: RunSummary, query: Omit<RunQuery, 'limit'>): boolean =>
  summary.expiresAt === undefined &&
  tenantOf(summary.run) === (query.tenant ?? defaultTenant) &&
  (statusesOf(query)?.includes(summary.status) ?? true) &&
  (query.workflow === undefined || summary.workflow === query.workflow) &&
  (query.tag === undefined || summary.tags?.includes(query.tag) === true) &&
  (query.asks === undefined || summary.asks === true) &&
  (query.since === undefined || summary.startedAt >= query.since) &&
  (query.until === undefined || summary.startedAt < query.until) &&
  (query.after === undefined || comesAfter(query)(summary, query.after)) &&
  (query.of === undefined || isDescendant(summary, query.of)) &&
  (query.stop === undefined || summary.stopCode === query.stop) &&
  (query.version === undefined || summary.version === query.version) &&
  (query.q === undefined || matches(summary, query.q));

const isDescendant = ({ origin }: RunSummary, of: string): boolean =>
  (origin?.type === 'replay' || origin?.type === 'fork') && origin.of === of;

/**
 * Returns whether each word of a search begins the id of a run, a word of its title, a tag, or the name of its workflow. A search
 * without a word finds nothing.
 */
function matches({ run, title = '', tags = [], workflow }: RunSummary, search: string): boolean {
  const names = [withoutTenant(run), workflow, ...tags, ...wordsOf(title)].map((name) => name.toLowerCase());
  const words = wordsOf(search).map((word) => word.toLowerCase());
  return words.length > 0 && words.every((word) => names.some((name) => name.startsWith(word)));
}

const wordsOf = (text: string): readonly string[] =>
  text.split(/[^\p{L}\p{M}\p{N}_:.@-]+/u).filter((word) => word !== '');

/** Returns the numbers of runs that were read one by one. */
export function countsOf(summaries: Iterable<RunSummary>, capped: boolean): RunCounts {
  const byStatus: Partial<Record<RunStatus, number>> = {};
  let asks = 0;
  for (const summary of summaries) {
    byStatus[summary.status] = (byStatus[summary.status] ?? 0) + 1;
    if (summary.asks === true) asks++;
  }
  return { byStatus, asks, capped };
}

/** Returns whether a run comes after a cursor: newest first, and those of one millisecond by id, backwards. */
export const isBehind = (one: RunCursor, other: RunCursor): boolean =>
  one.startedAt === other.startedAt ? one.run < other.run : one.startedAt < other.startedAt;

/** Returns the position of a run in lists. */
export const cursorOf = ({ run, startedAt }: RunCursor): RunCursor => ({ run, startedAt });

/** Returns the order of a list: tells if a run comes after another one. */
export const comesAfter = ({ order }: Pick<RunQuery, 'order'>): typeof isBehind =>
  order === 'oldest' ? (one, other) => isBehind(other, one) : isBehind;
