import { describe, expect, it } from 'vitest';
import { extended, nothingSelected, toggled } from './selection.ts';

const runs = ['a', 'b', 'c', 'd', 'e'];
const idsOf = (selection: typeof nothingSelected) => [...selection.ids].toSorted();

describe('a selection', () => {
  it('adds and removes a run', () => {
    const one = toggled(nothingSelected, 'b');

    expect(idsOf(one)).toEqual(['b']);
    expect(idsOf(toggled(one, 'b'))).toEqual([]);
  });

  it.each([
    ['d', ['b', 'c', 'd']],
    ['a', ['a', 'b']],
  ])('extends from the run that was selected last to %s', (to, expected) => {
    expect(idsOf(extended(toggled(nothingSelected, 'b'), to, runs))).toEqual(expected);
  });

  it('selects one run where none was selected before', () => {
    expect(idsOf(extended(nothingSelected, 'c', runs))).toEqual(['c']);
  });
});
