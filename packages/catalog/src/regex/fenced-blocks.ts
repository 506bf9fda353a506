/** A fence and the rest of its line, without backticks: that takes linear time. */
const anyOpening = /```[^`\n]*\n/g;
const fence = '```';

/** Maximum number of blocks of a text: each is tried by itself. */
const mostBlocks = 1000;

/**
 * Finds the contents of the first fenced blocks of a text in linear time; one pattern for whole blocks would be tried at each
 * fence up to the end of the text. `opening` is a global pattern of the line that begins a block, linear itself.
 */
export function* fencedBlocks(text: string, opening: RegExp = anyOpening): Generator<string> {
  const pattern = new RegExp(opening);
  for (let found = 0; found < mostBlocks; found++) {
    const match = pattern.exec(text);
    const start = pattern.lastIndex;
    const end = match === null ? -1 : text.indexOf(fence, start);
    if (end < 0) return;
    yield text.slice(start, end);
    pattern.lastIndex = end + fence.length;
  }
}
