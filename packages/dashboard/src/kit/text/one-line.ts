/** Marks at the beginning of a block of Markdown: of a heading, a list or a quotation. */
const blockMark = /^\s*(?:#{1,6}|[-*+>])\s+/;

/** Returns the beginning of a text as one line, without the marks of Markdown at its start and around words. */
export const oneLine = (text: string): string =>
  text
    .replace(blockMark, '')
    .replaceAll(/\*\*(?=\S)|(?<=\S)\*\*/g, '')
    .replaceAll(/\s+/g, ' ');
