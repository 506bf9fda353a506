import type { Message } from '@millrace/core';
import { textOf } from '@millrace/core';
import type { ExpectedMessage } from './expected.ts';

/** The first way in which two things differ, or undefined when they do not. */
export type Difference = string | undefined;

/** A value in a line of text. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

const differs = (where: string, expected: unknown, got: unknown): Difference =>
  expected === got ? undefined : `${where}: expected ${shown(expected)}, got ${shown(got)}`;

/** Compares a message with the recorded one: role, content, keep and source count. */
export function compareMessage(where: string, expected: ExpectedMessage, got: Message): Difference {
  return (
    differs(`${where}.content`, expected.content, textOf(got)) ??
    differs(`${where}.role`, expected.role, got.role) ??
    differs(`${where}.keep`, expected.keep ?? false, got.keep) ??
    (expected.source === undefined ? undefined : differs(`${where}.source`, expected.source ?? '', got.source))
  );
}

/** Compares two lists, member by member. */
export function compareLists<E, G>(
  where: string,
  lists: { expected: readonly E[]; got: readonly G[] },
  compare: (where: string, expected: E, got: G) => Difference,
): Difference {
  const { expected, got } = lists;
  for (const [at, wanted] of expected.entries()) {
    const found = got[at];
    if (found === undefined) break;
    const difference = compare(`${where}[${at}]`, wanted, found);
    if (difference !== undefined) return difference;
  }
  return differs(`${where}.length`, expected.length, got.length);
}

/** Returns true if `got` equals `expected` except for swaps of pairs whose order is not determined. */
export function samePermuted(
  expected: readonly ExpectedMessage[],
  got: readonly Message[],
  unordered: readonly (readonly [number, number])[],
): boolean {
  if (expected.length !== got.length) return false;
  const free = new Set(unordered.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
  const left = new Set(expected.keys());
  const place = (at: number): boolean => {
    const message = got[at];
    if (message === undefined) return true;
    for (const index of left) {
      const wanted = expected[index];
      const next = [...left].every((earlier) => earlier >= index || free.has(`${earlier} ${index}`));
      if (!next || wanted === undefined || compareMessage('', wanted, message) !== undefined) continue;
      left.delete(index);
      if (place(at + 1)) return true;
      left.add(index);
    }
    return false;
  };
  return place(0);
}
