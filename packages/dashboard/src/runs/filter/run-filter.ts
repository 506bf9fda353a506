import type { RunLine, RunsQuery } from '@millrace/client';
import { durationPattern, parseDuration } from '@millrace/core/duration';
import type { RunStatus } from '@millrace/core/run-status';
import { runStatuses } from '@millrace/core/run-status';

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
  /** Words that the task or the result contains. */
  readonly text?: string;
  /** Beginnings of words in the id, the title, a tag or the name of the workflow. */
  readonly q?: string;
}

/** Tests if a filter has a part that neither counts nor bulk actions know. */
export const isOnlyListed = ({ q, text, asks, of, version, stop }: RunFilter): boolean =>
  [q, text, asks, of, version, stop].some((part) => part !== undefined);

/** Parts of a filter that are texts. */
export const textFields = ['q', 'text', 'workflow', 'version', 'stop', 'tag', 'of', 'since', 'until'] as const;
/** Part of a filter that is a text. */
export type TextField = (typeof textFields)[number];

/**
 * Returns the filter in the query of an address. Malformed parts stay: the server refuses them, so that no list shows all
 * runs for a filter that nobody understood.
 */
export function parseRunFilter(search: Readonly<Record<string, unknown>>): RunFilter {
  const { status, asks } = search;
  const texts = textFields.flatMap((name) => {
    const value = textOf(search[name]);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...(typeof status === 'string' && status !== '' ? { status: status as RunStatus } : {}), // the server checks it
    ...(asks === true || asks === 'true' ? { asks: true } : {}),
    ...Object.fromEntries(texts),
  };
}

/** A tag such as `2026` arrives as a number. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;

const moment = /^(\d{5,15}|\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?)$/;

/** Form of the value of a filter, and what is to be written instead of another one. */
interface Form {
  readonly patterns: readonly RegExp[];
  readonly cure: string;
}

const time: Form = {
  patterns: [durationPattern, moment],
  cure: 'a duration such as 24h or 7d, or a day such as 2026-01-31',
};
const anything: Form = { patterns: [/./], cure: 'a value' };

/** Filters that the search field understands, each with the form of its value. */
const fieldForms = {
  tag: anything,
  text: anything,
  workflow: anything,
  version: { patterns: [/^[0-9a-f]{32}$/], cure: 'the hash of a version' },
  stop: anything,
  of: { patterns: [/^[\w-]{1,128}$/], cure: 'the id of a run' },
  since: time,
  until: time,
  status: { patterns: [new RegExp(`^(${runStatuses.join('|')})$`)], cure: `one of ${runStatuses.join(', ')}` },
} as const satisfies Readonly<Record<string, Form>>;

type FieldName = keyof typeof fieldForms;
const isField = (name: string): name is FieldName => Object.hasOwn(fieldForms, name);

/** What the search field says: a filter, or the reason why it is none. */
export type SearchText = { readonly filter: RunFilter } | { readonly problem: string };

/**
 * Reads the text of the search field: filters such as `tag:nightly`, and words that are searched, in any order. A value or a
 * word in quotes may have spaces and colons.
 */
export function readSearchText(text: string): SearchText {
  const words: string[] = [];
  const fields = new Map<FieldName, string>();
  for (const [, name, quoted, bare] of text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/g)) {
    const value = quoted ?? bare ?? '';
    if (name === undefined) words.push(value);
    else if (!isField(name)) return { problem: unknownField(name, value) };
    else if (fields.has(name)) return { problem: `"${name}:" is there twice. A list can have one.` };
    else if (!fieldForms[name].patterns.some((form) => form.test(value)))
      return { problem: `"${name}:${value}" was not understood. Write ${fieldForms[name].cure}.` };
    else fields.set(name, value);
  }
  // A filter without a value is no word to search.
  const empty = words.find((word) => /^[a-z]+:$/.test(word));
  if (empty !== undefined) return { problem: `"${empty}" has no value. Write it right behind the colon.` };
  const symbols = words.length > 0 && wordsOf(words.join(' ')).length === 0;
  if (symbols) return { problem: `"${words.join(' ')}" has no word to search. Write letters or digits.` };
  return { filter: { ...Object.fromEntries(fields), ...(words.length === 0 ? {} : { q: words.join(' ') }) } };
}

const unknownField = (name: string, value: string): string =>
  `There is no filter "${name}:". There are ${Object.keys(fieldForms).join(', ')}. To search for it as a word, write "${name}:${value}" in quotes.`;

/** Returns a filter as requests have it. */
export const queryOf = ({ asks, ...filter }: RunFilter): RunsQuery => ({
  ...filter,
  ...(asks === undefined ? {} : { asks: 'true' }),
});

/** Tests if a run matches a filter, as far as its line shows: all but its contents. */
export function isFound(filter: RunFilter, run: RunLine, now = Date.now()): boolean {
  const { asks, tag, q } = filter;
  if (asks === true && run.asks !== true) return false;
  if (tag !== undefined && !run.tags.includes(tag)) return false;
  return hasFacts(filter, run) && isStartedWithin(filter, run, now) && (q === undefined || hasWords(run, q));
}

const hasFacts = (
  { status, workflow, version, of, stop }: RunFilter,
  { status: has, workflow: named, version: text, origin, stopCode }: RunLine,
): boolean =>
  [
    [status, has],
    [workflow, named],
    [version, text],
    [of, origin?.of],
    [stop, stopCode],
  ].every(([wanted, fact]) => wanted === undefined || wanted === fact);

const isStartedWithin = ({ since, until }: RunFilter, { startedAt }: RunLine, now: number): boolean =>
  (since === undefined || startedAt >= momentOf(since, now)) &&
  (until === undefined || startedAt < momentOf(until, now));

/** Returns the time that a filter names, in milliseconds since 1970; NaN if none. */
function momentOf(text: string, now: number): number {
  const before = parseDuration(text);
  if (before !== undefined) return now - before;
  return /^\d{5,}$/.test(text) ? Number(text) : Date.parse(text);
}

function hasWords({ runId, title = '', tags, workflow }: RunLine, q: string): boolean {
  const names = [runId, workflow, ...tags, ...wordsOf(title)].map((name) => name.toLowerCase());
  const words = wordsOf(q);
  return words.length > 0 && words.every((word) => names.some((name) => name.startsWith(word.toLowerCase())));
}

const wordsOf = (text: string): readonly string[] =>
  text.split(/[^\p{L}\p{M}\p{N}_:.@-]+/u).filter((word) => word !== '');
