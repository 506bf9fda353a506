import { describe, expect, it } from 'vitest';
import { TableRun } from '../../../test-support/table-run.ts';
import { agendaItemId, parseAgendaItemId } from '../../model/ids.ts';

const document = `
graph:
  id: g
  queue: slow
  end: [C]
  nodes:
    - { id: A, type: passthrough, config: {} }
    - { id: B, type: passthrough, queue: gpu, config: {} }
    - { id: C, type: passthrough, queue: default, config: {} }
  edges: [{ from: A, to: B }, { from: A, to: C }]
`;

const queuesOf = ({ agenda }: TableRun) =>
  [...agenda.values()].map(({ due }) => ('activation' in due ? due.queue : undefined));

describe('the wake of an activation', () => {
  it('goes to the queue of its node, or else of its graph', () => {
    const run = new TableRun(document);
    expect(queuesOf(run)).toEqual(['slow']);

    run.complete('a1', 0, 1);

    expect(queuesOf(run)).toEqual(['gpu', undefined]);
  });

  it('leaves the agenda when its activation settles', () => {
    const run = new TableRun(document);

    run.complete('a1', 0, 1);
    run.complete('a2');
    run.complete('a3');

    expect([run.run.status, run.agenda.size]).toEqual(['completed', 0]);
  });
});

describe('the id of an entry of the agenda', () => {
  it.each([
    { run: 'r', activation: 'a1', token: 't' },
    { run: 'x~r', activation: 'a1', token: 't', queue: 'gpu' },
    { run: 'r', activation: 'a1', token: 't', priority: 7 },
    { run: 'r', activation: 'a1', token: 't', queue: 'gpu', priority: 7 },
    { run: 'r', alarm: 'alarm/timeout', token: 't' },
  ] as const)('contains all of %j', (due) => {
    expect(parseAgendaItemId(agendaItemId(due))).toEqual(due);
  });
});
