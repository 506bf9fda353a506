const fence = /```[A-Za-z0-9_+-]*\s*\n(.*?)```/s;

/** The program in a text: the first fenced block, in whatever language, or else all of it; without common indentation. */
export const programIn = (text: string): string => dedent(fence.exec(text)?.[1] ?? text).trim();

/** Removes the whitespace that all lines begin with; blank lines do not count. */
function dedent(text: string): string {
  const lines = text.split('\n').map((line) => (/^[ \t]*$/.test(line) ? '' : line));
  const margins = lines.filter((line) => line !== '').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  const margin = margins.reduce(commonStart, margins[0] ?? '');
  return lines.map((line) => line.slice(margin.length)).join('\n');
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
