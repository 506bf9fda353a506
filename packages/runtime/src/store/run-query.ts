import { defaultTenant, tenantOf } from '@millrace/core';
import type { RunPlace, RunQuery, RunSummary } from './port.ts';

/** Returns whether a list shows a run. */
export const isWanted = (summary: RunSummary, query: RunQuery): boolean =>
  tenantOf(summary.run) === (query.tenant ?? defaultTenant) &&
  (query.status === undefined || summary.status === query.status) &&
  (query.workflow === undefined || summary.workflow === query.workflow) &&
  (query.tag === undefined || summary.tags?.includes(query.tag) === true) &&
  (query.asks === undefined || summary.asks === true) &&
  (query.since === undefined || summary.startedAt >= query.since) &&
  (query.until === undefined || summary.startedAt < query.until) &&
  (query.after === undefined || isBehind(summary, query.after));

/** Returns whether a run comes after a cursor: newest first, and those of one millisecond by id, backwards. */
export const isBehind = (one: RunPlace, other: RunPlace): boolean =>
  one.startedAt === other.startedAt ? one.run < other.run : one.startedAt < other.startedAt;

/** The place of a run in lists. */
export const placeOf = ({ run, startedAt }: RunPlace): RunPlace => ({ run, startedAt });
