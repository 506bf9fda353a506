import type { RunEvent } from '@millrace/client';
import { expect, it } from 'vitest';
import type { NodeActivation } from './node-activations.ts';
import { activationsOf, chosenIn } from './node-activations.ts';

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

it('knows the message of each unit, those of a large fan-out from their parts', () => {
  const message = (id: string) => ({ id, source: 'Lines', role: 'user' });
  const ready = (activation: string, unit: number) => ({
    type: 'activation.ready',
    activation,
    scope: 's1',
    graph: '',
    node: 1,
    part: 'unit',
    unit,
  });
  const events = [
    { type: 'units.stored', scope: 's1', units: [message('m1'), message('m2')] },
    { type: 'fanout.entered', scope: 's1', before: 2, units: [message('m3')] },
    ready('a2', 0),
    ready('a3', 2),
    { type: 'fanout.layered', scope: 's1' },
    ready('a4', 0),
  ].map((event, at) => ({ id: `${at}-1`, at, event }));

  const found = activationsOf(events as unknown as readonly RunEvent[], '', 1); // the fields that it reads

  expect(found.map(({ id, input }) => [id, input])).toEqual([
    ['a2', 'm1'],
    ['a3', 'm3'],
    ['a4', undefined],
  ]);
});
