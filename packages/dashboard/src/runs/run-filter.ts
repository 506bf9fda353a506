import type { RunStatus } from '../kit/values/status.tsx';

/** Statuses that the list has a tab for. */
export const statuses = [
  'running',
  'waiting',
  'paused',
  'stopping',
  'completed',
  'failed',
  'cancelled',
  'terminated',
] as const satisfies readonly RunStatus[];

/** Filter of the list of runs, as its address has it. */
export interface RunFilter {
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly tag?: string;
  /** Beginnings of words in the id, the title, a tag or the name of the workflow. */
  readonly q?: string;
}

/** Returns the filter that the query of an address describes; what is malformed is left out. */
export function parseRunFilter(search: Readonly<Record<string, unknown>>): RunFilter {
  const { status, workflow, tag, q } = search;
  return {
    ...(statuses.some((known) => known === status) ? { status: status as RunStatus } : {}),
    ...(isText(workflow) ? { workflow: String(workflow) } : {}),
    ...(isText(tag) ? { tag: String(tag) } : {}),
    ...(isText(q) ? { q: String(q) } : {}),
  };
}

/** A tag such as `2026` arrives as a number. */
const isText = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number';
