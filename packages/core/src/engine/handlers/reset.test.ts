import { expect, it } from 'vitest';
import { stop, TableRun, wait } from '../../../test-support/table-run.ts';

const document = `graph:
  id: g
  start: [A]
  termination: {all_of: [{type: external}, {type: external, id: second}]}
  scopes: [{id: all, nodes: [A, B], termination: {type: external}}]
  nodes: [{id: A, type: human, config: {}}, {id: B, type: literal, config: {content: b}}]
  edges: [{from: A, to: B}]
`;
const reset = { type: 'reset' } as const;

it('resets all terminations while no activation is live', () => {
  const run = new TableRun(document);
  expect(run.ask(reset)).toBe('RUN_AT_WORK');
  run.claim('a1');
  run.ask({ type: 'pause' });
  expect(run.ask(reset)).toBe('RUN_AT_WORK');
  run.settle('a1', { type: 'suspended', wait });
  run.now = 5000;

  expect(run.ask(reset)).toBe('accepted');

  const anew = expect.objectContaining({ startedAt: 5000, pausedMs: 0, cells: {} });
  expect([run.state.get('termination/s0/'), run.state.get('termination/s0/all')]).toEqual([anew, anew]);
  run.now = 6000;
  run.ask({ type: 'resume', task: [], bodies: [] });
  expect(run.state.get('termination/s0/')).toMatchObject({ startedAt: 5000, pausedMs: 1000 });
  expect(run.ask(reset)).toBe('accepted');
});

it('is refused for a run that has ended', () => {
  const run = new TableRun(document);
  run.claim('a1');
  run.ask(stop('drain'));
  expect(run.ask(reset)).toBe('RUN_NOT_ACTIVE');
  run.ask(stop('cancel'));
  expect(run.ask(reset)).toBe('RUN_ENDED');
});
