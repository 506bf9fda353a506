/**
 * Returns the lines of an output, as a page shows it, that commands did not print, or not in this order. The commands may have
 * printed more lines; ids, times, durations and the width of columns may differ, and `…` matches any text.
 */
export function missingLines(shown: string, printed: string): readonly string[] {
  const lines = linesOf(printed);
  let from = 0;
  return linesOf(shown).filter((line) => {
    const pattern = patternOf(line);
    const at = lines.findIndex((other, index) => index >= from && pattern.test(other));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

const linesOf = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const shape = shapeOf(line);
    return shape === '' ? [] : [shape];
  });

/** Returns a line without the parts that differ from one execution to the next. */
const shapeOf = (line: string): string =>
  line
    .replaceAll(/\b(run|batch)_\w+/g, '$1_ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b(?:\d+m)?\d+(?:\.\d+)?s\b/g, 'DURATION')
    .replaceAll(/\s+/g, ' ')
    .trim();

const patternOf = (line: string): RegExp =>
  new RegExp(`^${line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')}$`);
