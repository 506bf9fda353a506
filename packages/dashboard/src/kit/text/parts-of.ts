/** Characters of a part at most. */
const longestPart = 16 * 1024;

/** Returns a text as parts that a browser lays out one by one, so that a long one does not hold up the page: cut after a line, or else after a word. */
export function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > longestPart) {
    const end = from + longestPart;
    const line = text.lastIndexOf('\n', end - 1);
    const word = line < from ? text.lastIndexOf(' ', end - 1) : line;
    const cut = word < from ? wholeCharacter(text, end) : word + 1;
    // The break between two parts is that of the line.
    parts.push(line < from ? text.slice(from, cut) : text.slice(from, cut - 1));
    from = cut;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Returns a place that does not split a character of two code units. */
const wholeCharacter = (text: string, at: number): number => (/[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at);
