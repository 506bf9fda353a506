import type { State } from '@millrace/core';
import { checkpointOf } from '@millrace/core';

/** Maximum number of characters of a checkpoint that is stored: a run can keep very many messages for its nodes. */
const maxCharacters = 1024 * 1024;

/**
 * Returns the checkpoint of a state in JSON, by which readers fold the journal from there; undefined when it is too long, which
 * is found out before the rest of it is written.
 */
export function checkpointText(state: State): string | undefined {
  const { records, lists, partial } = checkpointOf(state);
  const parts: string[] = [];
  let left = maxCharacters;
  const add = (part: string): boolean => {
    parts.push(part);
    left -= part.length;
    return left >= 0;
  };
  const addEach = <Value>(values: readonly Value[], addOne: (value: Value) => boolean): boolean =>
    add('[') && values.every((value, at) => (at === 0 || add(',')) && addOne(value)) && add(']');
  const addJson = (value: unknown): boolean => add(JSON.stringify(value));
  const fits =
    add('{"records":') &&
    addEach(records, addJson) &&
    add(',"lists":') &&
    addEach(lists, ([key, entries]) => add(`[${JSON.stringify(key)},`) && addEach(entries, addJson) && add(']')) &&
    add(',"partial":') &&
    addEach(partial, addJson) &&
    add('}');
  return fits ? parts.join('') : undefined;
}
