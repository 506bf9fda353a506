import type { Message } from '@millrace/core';
import { fillItems, textOf } from '@millrace/core';
import { visibleName } from '@millrace/core/visible-text';

/*
 * A title stands in lists, on terminals, and in messages of webhooks, beside texts of others. So it is one short line, in which
 * characters that control a terminal or the direction of writing are seen as escapes. Tasks can be very long: only the
 * beginning of each text is looked at.
 */

/** Maximum length of a title, in characters. */
const longestTitle = 120;
/** Number of code units that the longest title can have. */
const lookedAt = 2 * longestTitle + 2;

/**
 * Returns the title of a run in lists: what the template of its workflow makes of the task, or else the first line of the
 * task that has text; undefined when there is none.
 */
export function titleOf(task: readonly Pick<Message, 'content'>[], template?: string): string | undefined {
  const texts = task.map(textOf);
  const filled = template === undefined ? [] : [filledTemplate(template, texts.join('\n'))];
  for (const text of [...filled, ...texts]) {
    const line = beginningOf(text).trimEnd();
    if (line !== '') return shortened(visibleName(line));
  }
  return undefined;
}

/** Fills a template, which contains no NUL, with the beginnings of the task and its fields; a field that the task lacks is left out. */
function filledTemplate(template: string, input: string): string {
  const found: string[] = [];
  // The task can contain the text of an expression.
  const marked = fillItems(template, { input }, (text) => `\0${found.push(beginningOf(text)) - 1}\0`);
  const parts = marked.replaceAll(/\{\{\s*input(\.[^{}\s]+)?\s*\}\}/g, '').split('\0');
  return parts.map((part, at) => (at % 2 === 0 ? part : (found[Number(part)] ?? ''))).join('');
}

/** Returns the beginning of the first line that has something to see, without halves of characters. */
function beginningOf(text: string): string {
  const first = text.search(/[^\s\p{Cc}\p{Cf}\p{Cs}]/u);
  if (first < 0) return '';
  const [line = ''] = text.slice(first, first + lookedAt).split(/[\r\n\v\f\u0085\u2028\u2029]/, 1);
  return line.replaceAll(/\p{Cs}/gu, '').replaceAll('\t', ' ');
}

/** Counts code points, so that no character is cut in half. */
function shortened(line: string): string {
  const characters = [...line];
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join('')}…`;
}
