import { isDeepStrictEqual } from 'node:util';
import type { ModelCall } from '../../support/reference/trace.ts';
import type { Difference } from './compare-messages.ts';
import { compareLists, shown } from './compare-messages.ts';
import type { ExpectedCall } from './expected.ts';
import type { RecordedMessage } from './responses-shape.ts';
import { chatShape, responsesShape } from './responses-shape.ts';

/** Compares what the models were asked, node by node. How often a failed call was made again does not count. */
export function compareCalls(expected: readonly ExpectedCall[] | undefined, got: readonly ModelCall[]): Difference {
  if (expected === undefined) return undefined;
  for (const node of new Set([...expected, ...got].map((call) => call.node))) {
    const lists = {
      expected: withoutRepeats(expected.filter((call) => call.node === node)),
      got: got.filter((call) => call.node === node),
    };
    const difference = compareLists(`model calls of ${node}`, lists, (where, wanted, found) =>
      compareLists(where, { expected: wanted.messages, got: shapeOf(wanted)(found.messages) }, compareChat),
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const shapeOf = ({ endpoint }: ExpectedCall) => (endpoint === 'responses' ? responsesShape : chatShape);

/** A call that failed and was followed by the same one, or by the same one to the other API, counts once. */
function withoutRepeats(calls: readonly ExpectedCall[]): readonly ExpectedCall[] {
  return calls.filter((call, at) => {
    const next = calls[at + 1];
    if (call.error === undefined || next === undefined) return true;
    if (call.endpoint === 'responses' && next.endpoint === 'chat') return false;
    return commonPart(call) !== commonPart(next);
  });
}

/** Returns the part of a call that both APIs receive in the same form. */
const commonPart = ({ messages }: ExpectedCall): string =>
  JSON.stringify(messages.filter(({ role }) => role === 'system' || role === 'user'));

function compareChat(where: string, expected: ExpectedCall['messages'][number], got: RecordedMessage): Difference {
  const wanted = expected.content ?? '';
  if (expected.role === got.role && got.contents.some((content) => isSame(got.role, wanted, content))) return undefined;
  return `${where}: expected ${shown([expected.role, wanted])}, got ${shown([got.role, got.contents[0]])}`;
}

/** Results of tools that are JSON may be laid out differently. */
function isSame(role: string, wanted: string, found: string): boolean {
  if (wanted === found) return true;
  if (role !== 'tool' || !found.startsWith('{')) return false;
  try {
    return isDeepStrictEqual(JSON.parse(wanted), JSON.parse(found));
  } catch {
    return false;
  }
}
