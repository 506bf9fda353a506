import type { DeltaItem, TerminationCondition } from '@millrace/core';
import { TerminationReachedError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { conditions, said } from '../../../../test/support/fakes/stepping-tree.ts';
import { createVocabulary } from '../index.ts';

const hello = said('Hello');
const stop = said('stop');
const { tree, leaf, max, mention } = conditions(createVocabulary());

/** Deltas one after the other, `reset` in between, and the result of each. */
type Steps = readonly (readonly [readonly DeltaItem[] | 'reset', string | undefined])[];

const cases: readonly (readonly [string, TerminationCondition, Steps])[] = [
  [
    'all_of',
    { all_of: [max(2), mention('stop')] },
    [
      [[], undefined],
      [[hello], undefined],
      ['reset', undefined],
      [[hello, said('World')], undefined],
      ['reset', undefined],
      [[hello, stop], "max_messages: 2 of 2, text_mention: 'stop' by user"],
    ],
  ],
  [
    'all_of whose leaves are met at different times',
    { all_of: [max(2), mention('stop')] },
    [
      [[hello, hello], undefined],
      [[hello], undefined],
      [[stop], "max_messages: 2 of 2, text_mention: 'stop' by user"],
    ],
  ],
  [
    'all_of in the order of being met',
    { all_of: [max(2), mention('stop')] },
    [
      [[stop], undefined],
      [[hello], "text_mention: 'stop' by user, max_messages: 2 of 2"],
    ],
  ],
  [
    'any_of',
    { any_of: [max(3), mention('stop')] },
    [
      [[], undefined],
      [[hello], undefined],
      ['reset', undefined],
      [[hello, hello], undefined],
      ['reset', undefined],
      [[hello, stop], "text_mention: 'stop' by user"],
    ],
  ],
  [
    'any_of with both at once',
    { any_of: [max(3), mention('stop')] },
    [
      [[hello], undefined],
      [[hello], undefined],
      [[stop], "max_messages: 3 of 3, text_mention: 'stop' by user"],
    ],
  ],
  [
    'any_of with more messages than it takes',
    { any_of: [max(3), mention('stop')] },
    [[[hello, hello, hello, stop], "max_messages: 4 of 3, text_mention: 'stop' by user"]],
  ],
  [
    'any_of of messages and turns',
    { any_of: [max(2), leaf('max_turns', { max_turns: 2 })] },
    [
      [[hello], undefined],
      [[hello], 'max_messages: 2 of 2, max_turns: 2 of 2'],
    ],
  ],
  [
    'all_of over any_of',
    { all_of: [{ any_of: [max(2), mention('x')] }, mention('stop')] },
    [
      [[hello, hello], undefined],
      [[stop], "max_messages: 2 of 2, text_mention: 'stop' by user"],
    ],
  ],
  [
    'any_of over all_of',
    { any_of: [{ all_of: [max(2), mention('stop')] }, mention('bye')] },
    [
      [[hello, hello], undefined],
      [[stop], "max_messages: 2 of 2, text_mention: 'stop' by user"],
    ],
  ],
  [
    'an id in the reason',
    { ...leaf('max_messages', { max_messages: 1 }), id: 'enough' } as TerminationCondition,
    [[[hello], 'enough: max_messages: 1 of 1']],
  ],
];

describe('trees of terminations', () => {
  it.each(cases)('are satisfied when they should be: %s', async (_name, written, steps) => {
    const stepping = tree(written);
    for (const [items, expected] of steps) {
      if (items === 'reset') stepping.reset();
      else expect(await stepping.see(items)).toBe(expected);
    }
    // Each of them is met in the end, and starts again only when it is reset.
    await expect(stepping.see([hello])).rejects.toThrow(TerminationReachedError);
    stepping.reset();
    expect(await stepping.see([])).toBeUndefined();
  });

  it('freeze satisfied conditions, so that their counts stay', async () => {
    const stepping = tree({ all_of: [max(2), mention('stop')] });

    await stepping.see([hello, hello]);
    await stepping.see([hello]);

    expect(stepping.stateAt('$.0')).toBe(2);
  });

  it('wait for the missing condition after the time is over', async () => {
    const stepping = tree({ all_of: [leaf('timeout', { seconds: 0.05 }), mention('a3')] });

    await stepping.see([said('a1', 'A')]);
    expect(stepping.wait(0.1)).toBeUndefined();
    expect(await stepping.see([said('a2', 'A')])).toBeUndefined();
    expect(await stepping.see([said('a3', 'A')])).toBe("timeout: 0.05s, text_mention: 'a3' by A");
  });

  it('continue to count in every child of an any_of', async () => {
    const stepping = tree({ any_of: [max(3), mention('stop')] });

    await stepping.see([hello]);
    await stepping.see([hello, stop]);

    expect(stepping.stateAt('$.0')).toBe(3);
  });
});
