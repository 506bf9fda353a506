/*
 * Texts of others as people see them on terminals and pages. Characters that would change how a text looks, or that nobody
 * sees, are replaced by escapes of JSON, such as `\u202e`.
 */

/**
 * Characters that control a terminal, or change the order in which it shows others: control characters other than line
 * feed and tab, separators of lines and paragraphs, and overrides of the direction of writing.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces control characters by escapes such as `\u001b`, which are equivalent within JSON. */
export const visibleText = (text: string): string => text.replaceAll('\r\n', '\n').replace(steering, escaped);

/** Escapes a text within a line, such as a name, including line feeds and tabs. */
export const visibleName = (name: string): string => visibleText(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/**
 * Characters that people do not see, or do not tell from a space; some belong to texts in some languages. The blank pattern of
 * Braille is a symbol by its category.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Escapes all that people do not see in a text of one line whose exact characters matter, such as the name of a tool. */
export const exactText = (text: string): string => text.replace(unseen, escaped);

/** Returns JSON with one value on a line, in which nothing is hidden. A text that is no JSON stays, but for what is hidden. */
export const exactJson = (text: string): string => indented(text).split('\n').map(exactText).join('\n');

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
