import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JournalEntry, State, Workflow } from '@millrace/core';

/** A journal as some version wrote it, and what it came to. */
export interface Golden {
  readonly workflow: Workflow;
  readonly journal: readonly JournalEntry[];
  /** The state after so many events: in the middle of the run, which is where an upgrade meets it, and at its end. */
  readonly states: readonly (StateText & { readonly after: number })[];
}

/** A state as it is written down; what is empty is not there. */
export interface StateText {
  readonly records: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<string, readonly unknown[]>>;
}

/** A state as it is written down. */
export const written = ({ records, lists }: State): StateText => ({
  records: Object.fromEntries([...records].sort(byKey)),
  lists: Object.fromEntries([...lists].filter(([, entries]) => entries.length > 0).sort(byKey)),
});

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1);

/** Path of the directory with the journals. */
export const folder = fileURLToPath(new URL('journals/', import.meta.url));

/** All that are recorded, by shape. */
export const goldens = (): ReadonlyMap<string, Golden> =>
  new Map(
    readdirSync(folder).map((name) => [
      name.replace('.json', ''),
      JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as Golden, // written by record.ts
    ]),
  );
