import type { Finding } from '@millrace/runtime';
import { wrapped } from './terminal/wrapped.ts';

const marks = { good: '✔', weak: '!', bad: '✖' } as const;

/** Characters before the messages. */
const lead = 15;
const indentation = ' '.repeat(lead);

/** Returns a finding as lines, which are broken where the terminal has a width; all but the first are indented. */
export function findingText({ level, subject, message, cure }: Finding, columns = Number.POSITIVE_INFINITY): string {
  const [first = '', ...rest] = message.split('\n');
  const begin = wrapped(`${marks[level]} ${subject.padEnd(lead - 3)} ${first}`, columns, indentation);
  const below = [...rest, ...(cure === undefined || cure === '' ? [] : [`→ ${cure}`])];
  return [begin, ...below.map((text) => wrapped(text, columns - lead).replace(/^/gm, indentation))].join('\n');
}
