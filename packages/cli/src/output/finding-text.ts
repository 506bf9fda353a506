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
  const own = below.map((text) => wrapped(text, columns - lead)).join('\n');
  if (own === '') return begin;
  // Commands stay whole: where they are too long under the message, they begin at the left.
  const isWide = own.split('\n').some((line) => lead + line.length > columns);
  return `${begin}\n${own.replace(/^/gm, isWide ? '' : indentation)}`;
}
