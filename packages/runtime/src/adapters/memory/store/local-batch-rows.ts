import type { RowStatus } from '@millrace/core';
import { rowStatuses } from '@millrace/core';
import type { BatchLine, BatchRows, RowUsage } from '../../../ports/store/batch-rows.ts';

/** Rows of batches in this process only. */
export function createLocalBatchRows(): BatchRows {
  const batches = new Map<string, Map<number, BatchLine>>();
  const usages = new Map<string, RowUsage>();
  const rowsOf = (batch: string): Map<number, BatchLine> => batches.get(batch) ?? new Map<number, BatchLine>();
  const withStatus = (batch: string, status: RowStatus): readonly number[] =>
    [...rowsOf(batch).values()]
      .filter((line) => line.status === status)
      .map(({ row }) => row)
      .sort((one, other) => one - other);
  return {
    async put(batch, rows) {
      const there = rowsOf(batch);
      batches.set(batch, there);
      for (const line of rows) there.set(line.row, line);
    },
    read: async (batch, rows) => rows.flatMap((row) => rowsOf(batch).get(row) ?? []),
    async move(batch, { row, from, to, note, spent, before }) {
      const line = rowsOf(batch).get(row);
      if (line === undefined || !from.includes(line.status)) return false;
      if (before !== undefined && (line.note ?? '') !== before) return false;
      if (spent !== undefined) usages.set(batch, added(usages.get(batch) ?? {}, spent));
      rowsOf(batch).set(row, { ...line, status: to, ...(note === undefined ? {} : { note }) });
      return true;
    },
    page: async (batch, status, { after, limit }) =>
      withStatus(batch, status)
        .filter((row) => row > after)
        .slice(0, limit),
    async counts(batch) {
      const counted = rowStatuses.map((status) => [status, withStatus(batch, status).length] as const);
      return Object.fromEntries(counted) as Record<RowStatus, number>; // one entry for each status
    },
    usage: async (batch) => usages.get(batch) ?? {},
    startable: async (batch, parallel) =>
      withStatus(batch, 'waiting').slice(0, Math.max(0, parallel - withStatus(batch, 'running').length)),
    async remove(batch) {
      batches.delete(batch);
      usages.delete(batch);
    },
  };
}

const added = (one: RowUsage, other: RowUsage): RowUsage => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, amount]) => [name, (one[name as keyof RowUsage] ?? 0) + amount]), // its own fields
  ),
});
