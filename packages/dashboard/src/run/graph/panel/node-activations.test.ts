import { expect, it } from 'vitest';
import type { NodeActivation } from './node-activations.ts';
import { chosenIn } from './node-activations.ts';

const activation = (id: string, state: NodeActivation['state'], unit?: number): NodeActivation => ({
  id,
  unit,
  part: unit === undefined ? 'whole' : 'unit',
  readyAt: 1,
  settledAt: 2,
  state,
  routes: undefined,
});

it('leads a fan-out to its first failed unit, and other nodes to their last activation', () => {
  const units = [activation('a1', 'completed', 0), activation('a2', 'failed', 1), activation('a3', 'completed', 2)];

  expect(chosenIn(units, undefined)).toBe(1);
  expect(chosenIn(units, 'a3')).toBe(2);
  expect(chosenIn([activation('a1', 'failed'), activation('a2', 'completed')], undefined)).toBe(1);
});
