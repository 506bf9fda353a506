import type { ChatMessage } from '@millrace/core';
import { textOf } from '@millrace/core';
import type { ModelCall } from '../support/trace.ts';
import type { Difference } from './compare-messages.ts';
import { compareLists, shown } from './compare-messages.ts';
import type { ExpectedCall } from './expected.ts';

/** Compares what the models were asked, node by node. How often a failed call was made again does not count. */
export function compareCalls(expected: readonly ExpectedCall[] | undefined, got: readonly ModelCall[]): Difference {
  if (expected === undefined) return undefined;
  for (const node of new Set([...expected, ...got].map((call) => call.node))) {
    const lists = {
      expected: withoutRepeats(expected.filter((call) => call.node === node)),
      got: got.filter((call) => call.node === node),
    };
    const difference = compareLists(`model calls of ${node}`, lists, (where, wanted, found) =>
      compareLists(where, { expected: wanted.messages, got: found.messages }, compareChat),
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** A call that failed and was followed by the same one counts once. */
function withoutRepeats(calls: readonly ExpectedCall[]): readonly ExpectedCall[] {
  return calls.filter((call, at) => {
    const next = calls[at + 1];
    return (
      call.error === undefined || next === undefined || JSON.stringify(call.messages) !== JSON.stringify(next.messages)
    );
  });
}

function compareChat(where: string, expected: ExpectedCall['messages'][number], got: ChatMessage): Difference {
  const wanted = [expected.role, expected.content ?? ''];
  const found = [got.role, textOf(got)];
  return JSON.stringify(wanted) === JSON.stringify(found)
    ? undefined
    : `${where}: expected ${shown(wanted)}, got ${shown(found)}`;
}
