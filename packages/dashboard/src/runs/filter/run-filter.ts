import type { RunLine, RunsQuery } from '@millrace/client';
import { durationPattern } from '@millrace/core/duration';
import type { RunStatus } from '../../kit/values/status.tsx';

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
  /** Only runs with open questions. */
  readonly asks?: true;
  readonly workflow?: string;
  readonly tag?: string;
  /** A duration such as `24h` before now, or a moment: started then or later. */
  readonly since?: string;
  readonly until?: string;
  /** Id of a run: its replays and forks. */
  readonly of?: string;
  /** Hash of a version of a workflow. */
  readonly version?: string;
  /** Reason for which runs were stopped, such as `budget`. */
  readonly stop?: string;
  /** Beginnings of words in the id, the title, a tag or the name of the workflow. */
  readonly q?: string;
}

/** Parts of a filter that are texts. */
export const textFields = ['q', 'workflow', 'version', 'stop', 'tag', 'of', 'since', 'until'] as const;
/** Part of a filter that is a text. */
export type TextField = (typeof textFields)[number];

/** Returns the filter in the query of an address; malformed parts are ignored. */
export function parseRunFilter(search: Readonly<Record<string, unknown>>): RunFilter {
  const { status, asks } = search;
  const texts = textFields.flatMap((name) => {
    const value = textOf(search[name]);
    return value === undefined || !isWellFormed(name, value) ? [] : [[name, value]];
  });
  return {
    ...(statuses.some((known) => known === status) ? { status: status as RunStatus } : {}),
    ...(asks === true || asks === 'true' ? { asks: true } : {}),
    ...Object.fromEntries(texts),
  };
}

/** A tag such as `2026` arrives as a number. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;

const isWellFormed = (name: TextField, value: string): boolean => forms[name]?.some((form) => form.test(value)) ?? true;

const moment = /^(\d{5,15}|\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?)$/;

const forms: Partial<Record<TextField, readonly RegExp[]>> = {
  since: [durationPattern, moment],
  until: [durationPattern, moment],
  of: [/^[\w-]{1,128}$/],
  version: [/^[0-9a-f]{32}$/],
};

/** Returns the part of a filter that a word of the search field defines, as in `tag:nightly`; other words are searched. */
export function partOf(text: string): RunFilter {
  const [, name, value] = /^(tag|workflow|version|stop|of|since|until):\s*(.+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return parseRunFilter({ [name]: value });
  return text === '' ? {} : { q: text };
}

/** Returns a filter as requests have it. */
export const queryOf = ({ asks, ...filter }: RunFilter): RunsQuery => ({
  ...filter,
  ...(asks === undefined ? {} : { asks: 'true' }),
});

/** Tests if a run matches a filter, as far as its line shows. */
export function isFound({ status, asks, workflow, version, tag, of, q }: RunFilter, run: RunLine): boolean {
  if (status !== undefined && run.status !== status) return false;
  if (asks === true && run.asks !== true) return false;
  if (workflow !== undefined && run.workflow !== workflow) return false;
  if (version !== undefined && run.plan !== version) return false;
  if (of !== undefined && run.origin?.of !== of) return false;
  if (tag !== undefined && !run.tags.includes(tag)) return false;
  return q === undefined || hasWords(run, q);
}

function hasWords({ runId, title = '', tags, workflow }: RunLine, q: string): boolean {
  const names = [runId, workflow, ...tags, ...wordsOf(title)].map((name) => name.toLowerCase());
  return wordsOf(q).every((word) => names.some((name) => name.startsWith(word.toLowerCase())));
}

const wordsOf = (text: string): readonly string[] =>
  text.split(/[^\p{L}\p{M}\p{N}_:.@-]+/u).filter((word) => word !== '');
