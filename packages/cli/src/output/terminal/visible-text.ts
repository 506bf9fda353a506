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

/** Characters that people do not see, some of which belong to texts in some languages. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes all that people do not see in JSON whose exact contents matter, such as the arguments of a call to approve. */
export const visibleJson = (json: string): string => visibleText(json).replace(unseen, escaped);

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
