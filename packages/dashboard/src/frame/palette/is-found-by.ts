/** Tests if each word of a text is the beginning of a word of a title. */
export function isFoundBy(title: string, text: string): boolean {
  const words = wordsOf(title);
  return wordsOf(text).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[\s._:/@-]+/)
    .filter((word) => word !== '');
