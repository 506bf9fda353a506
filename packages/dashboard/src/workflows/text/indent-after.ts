/** Spaces of one level. */
const step = 2;

/** Returns the number of spaces at the beginning of a new line after a line of YAML. */
export function indentAfter(line: string): number {
  const [start = '', spaces = '', dashes = ''] = /^( *)((?:- +)*)/.exec(line) ?? [];
  const content = line
    .slice(start.length)
    .replace(/(?:^|\s)#.*$/, '')
    .trimEnd();
  const isKey = /^[^\s'"[{][^:]*:(?:\s|$)/.test(content);
  // The next item of a list of texts begins below this one.
  if (!isKey) return spaces.length;
  const opens = /:(?: [|>][-+\d]*)?$/.test(content);
  return spaces.length + dashes.length + (opens ? step : 0);
}
