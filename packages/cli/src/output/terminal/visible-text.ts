/**
 * Characters that steer a terminal, or change the order in which it shows others: control characters other than line
 * feed and tab, separators of lines and paragraphs, and overrides of the direction of writing.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces what could steer a terminal by escapes such as `\u001b`. Within a JSON text, those mean the same character. */
export const visibleText = (text: string): string => text.replaceAll('\r\n', '\n').replace(steering, escaped);

/** Does the same for a text that stands in a line, such as a name: it can neither end the line nor move its columns. */
export const visibleName = (name: string): string => visibleText(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
