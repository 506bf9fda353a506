import { isTooDeep } from '@millrace/core';
import type { ReadTask } from './read-task.ts';

const mostCharacters = 8 * 1024;
const mostPlaceholders = 16;

/*
 * A few characters can cause much work: an alias repeats everything that its anchor marks, and variables may contain each other
 * several times. Patterns and templates are looked at when they are checked, see `doIfCheap`.
 */
const multipliers = /(?:^|[\s,[{:-])[*&][^\s*&]/;

/** Returns whether a text is so short and plain that reading it takes no noticeable time. */
export function isLight({ text, variables }: Pick<ReadTask, 'text' | 'variables'>): boolean {
  // These are refused without being read.
  if (isTooDeep(variables)) return true;
  if (text.length > mostCharacters) return false;
  const all = variables === undefined ? text : `${text}\n${JSON.stringify(variables)}`;
  if (all.length > mostCharacters || multipliers.test(all)) return false;
  return all.split('${', mostPlaceholders + 2).length <= mostPlaceholders + 1;
}
