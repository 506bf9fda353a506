import { checkpointOf, State } from '@millrace/core';
import { expect, it } from 'vitest';
import { checkpointText } from './checkpoint-text.ts';

it('is the checkpoint in JSON', () => {
  const state = new State();
  expect(JSON.parse(checkpointText(state) ?? '')).toEqual(checkpointOf(state));

  state.records.set('result/s1/0', { ok: 'ü' } as never);
  state.records.set('result/s1/1', null as never);
  state.lists.set('kept/s0/A', [1, { deep: ['"'] }]);
  state.lists.set('recent/s0/B', []);
  state.lists.set(
    'units/s1',
    Array.from({ length: 300 }, (_, at) => at),
  );
  expect(JSON.parse(checkpointText(state) ?? '')).toEqual(JSON.parse(JSON.stringify(checkpointOf(state))));
});

it('is not written to its end when it is too long', () => {
  const state = new State();
  let written = 0;
  const message = { text: 'x'.repeat(1000), toJSON: () => ++written && 'x'.repeat(1000) };
  state.lists.set('kept/s0/A', Array(5000).fill(message));

  expect(checkpointText(state)).toBeUndefined();
  // One megabyte of them.
  expect(written).toBeLessThan(1100);
});
