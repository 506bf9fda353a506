import type { Message } from '@millrace/core';
import { textOf } from '@millrace/core';

/** Maximum length of a title, in characters. */
const longestTitle = 120;

/** Returns the title of a run in lists: the first line of its task that has text; undefined when there is none. */
export function titleOf(task: readonly Pick<Message, 'content'>[]): string | undefined {
  for (const message of task) {
    const [line] = /\S[^\r\n]*/.exec(textOf(message)) ?? [];
    if (line !== undefined) return shortened(line.trimEnd());
  }
  return undefined;
}

/** Counts code points, so that no character is cut in half. */
function shortened(line: string): string {
  // A character has at most two code units.
  const characters = [...line.slice(0, 2 * longestTitle + 2)];
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join('')}…`;
}
