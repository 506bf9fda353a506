import { useSyncExternalStore } from 'react';

/** Columns of the list of runs that can be hidden, with their titles. */
export const columns = {
  workflow: 'Workflow',
  started: 'Started',
  duration: 'Duration',
  tokens: 'Tokens',
  cost: 'Cost',
} as const;

/** Name of a column that can be hidden. */
export type ColumnName = keyof typeof columns;

const stored = 'millrace.hidden-columns';
const listeners = new Set<() => void>();

/** Names of the hidden columns of this browser, with spaces between them. */
const hiddenColumns = (): string => localStorage.getItem(stored) ?? '';

/** Shows or hides a column in this browser. */
export function showColumn(name: ColumnName, isShown: boolean): void {
  const others = hiddenColumns()
    .split(' ')
    .filter((one) => one !== '' && one !== name);
  localStorage.setItem(stored, (isShown ? others : [...others, name]).join(' '));
  for (const listener of listeners) listener();
}

/** Returns the names of the hidden columns, with spaces between them. */
export const useHiddenColumns = (): string => useSyncExternalStore(subscribe, hiddenColumns);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
