import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TurnQuota } from './turn-quota.ts';

/** Takes pieces from a quota; returns the turns in which they began, counted from the present one. */
async function turnsOf(
  quota: TurnQuota,
  works: readonly number[],
  completes: (at: number) => boolean = () => false,
): Promise<readonly number[]> {
  let now = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; now += 1) await turn();
  })();
  const begun = works.map(async (pieces, at) => {
    await quota.take(pieces, { completes: completes(at) });
    return now;
  });
  const turns = await Promise.all(begun);
  isOver = true;
  await counting;
  return turns;
}

it('lets so much begin in each turn, in the order in which it came', async () => {
  const quota = new TurnQuota(4);

  const turns = await turnsOf(quota, Array(13).fill(1));

  expect(turns).toEqual([...turns].sort((one, other) => one - other));
  for (const present of new Set(turns)) expect(turns.filter((turn) => turn === present).length).toBeLessThanOrEqual(4);
});

it('lets work begin that is more than a turn may have, alone', async () => {
  const [first, second, third] = await turnsOf(new TurnQuota(4), [9, 9, 1]);

  expect(second).toBeGreaterThan(first ?? 0);
  expect(third).toBeGreaterThan(second ?? 0);
});

it('lets work begin at once in a turn without other work', async () => {
  const quota = new TurnQuota(1);
  for (let times = 0; times < 3; times++) {
    expect(quota.take(1, { completes: false })).toBeUndefined();
    await turn();
  }
});

it('lets what completes earlier work go before new work, of which a quarter of each turn is left', async () => {
  const isResult = (at: number) => at >= 16;

  const turns = await turnsOf(new TurnQuota(4), Array(28).fill(1), isResult);

  const results = turns.filter((_, at) => isResult(at));
  const others = turns.filter((_, at) => !isResult(at));
  const first = Math.min(...results);
  // Four of the others began before the results came.
  expect([0, 1, 2, 3, 4].map((after) => results.filter((turn) => turn === first + after).length)).toEqual([
    3, 3, 3, 3, 0,
  ]);
  expect([0, 1, 2, 3, 4].map((after) => others.filter((turn) => turn === first + after).length)).toEqual([
    1, 1, 1, 1, 4,
  ]);
});
