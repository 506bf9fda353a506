import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TableRun } from '../../../test-support/table-run.ts';
import { evolve } from '../evolve/evolve.ts';
import type { Route } from '../records/activation-events.ts';
import type { Event } from '../records/event.ts';
import { inboxOf } from '../state/inbox.ts';
import { inputOf } from '../state/input.ts';
import { defaultRunLimits } from '../state/run-limits.ts';
import { Draft } from '../state/state.ts';

/** A, and B once for each part of what A says; the results go to C to D, which they clear, to E, and into B's own context. */
const document = `graph:
  id: g
  start: [A]
  end: [D]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: literal, context_window: 3, config: {content: b}}
    - {id: C, type: literal, context_window: 2, config: {content: c}}
    - {id: D, type: literal, context_window: 2, config: {content: d}}
    - {id: E, type: literal, config: {content: e}}
  edges:
    - {from: A, to: B, dynamic: {type: map, config: {split_type: lines, max_parallel: 9}}}
    - {from: A, to: D, trigger: false}
    - {from: B, to: C}
    - {from: B, to: D, clear_context: true, clear_kept_context: true}
    - {from: B, to: E, trigger: false}
    - {from: C, to: E}
`;

/** A run whose B was split into this many units. */
function runOf(units: number, text = document): TableRun {
  const run = new TableRun(text);
  run.limits = { ...defaultRunLimits, unitsPerCommit: 3 };
  run.complete('a1', 0, 1);
  const unit = { role: 'user', source: 'A', body: 0 } as const;
  run.settle('a2', { type: 'split', statics: [], units: Array.from({ length: units }, () => unit) });
  return run;
}

/** Settles all units that are due, the last one first, each with one message over these edges. */
function settleUnits(run: TableRun, ...edges: readonly number[]): void {
  for (let live = liveOf(run); live.some(([, { part }]) => part === 'unit'); live = liveOf(run))
    for (const [id, { part }] of live.reverse()) if (part === 'unit') run.complete(id, ...edges);
}

const liveOf = ({ state }: TableRun) =>
  [...state.keys('activation/')].flatMap((key) => {
    const id = key.slice('activation/'.length) as `a${number}`;
    const record = state.get(`activation/${id}`);
    return record === undefined ? [] : [[id, record] as const];
  });

const joinOf = (run: TableRun) => {
  const [id] = liveOf(run).find(([, { part }]) => part === 'join') ?? [];
  if (id === undefined) throw new Error('nothing is to be joined');
  return { activation: id, token: run.tokenOf(id) };
};

const settlement = { type: 'joined' } as const;

describe('the results of a large fan-out', () => {
  it('are joined in parts by an activation, and reach the next node in the order of the units', () => {
    const run = runOf(8);
    settleUnits(run, 2);
    const join = { type: 'units.join', ...joinOf(run) } as const;
    expect([run.ask(join), run.ask(join), run.ask(join)]).toEqual(['accepted', 'accepted', 'UNITS_JOINED']);
    expect(run.settle(join.activation, settlement)).toBe('accepted');

    expect(run.last).toEqual(['units.joined', 'activation.opened', 'fanout.left', 'activation.ready', 'items.skipped']);
    const numbers = inboxOf(run.state, 's0', 'C').map(({ id }) => Number(id.slice(1)));
    expect(numbers).toHaveLength(8);
    // The last unit was settled first.
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  });

  it('are joined once: a settlement that comes too early is refused, and an attempt after a crash joins the rest', () => {
    const run = runOf(7);
    settleUnits(run, 2);
    const join = { type: 'units.join', ...joinOf(run) } as const;

    expect(run.settle(join.activation, settlement)).toBe('UNITS_MOVED');
    expect([run.ask(join), run.settle(join.activation, settlement)]).toEqual(['accepted', 'UNITS_MOVED']);
    expect([run.ask(join), run.settle(join.activation, settlement)]).toEqual(['accepted', 'accepted']);
    expect(run.ask(join)).toBe('ACTIVATION_SETTLED');
  });

  it('are dropped when the run is cancelled between two parts', () => {
    const run = runOf(7);
    settleUnits(run, 2);
    const join = { type: 'units.join', ...joinOf(run) } as const;
    run.ask(join);

    expect(run.ask({ type: 'cancel', reason: 'enough' })).toBe('accepted');
    expect([run.ask(join), run.run.status]).toEqual(['RUN_ENDED', 'cancelled']);
  });

  it('are removed but for those that the context of a node keeps', () => {
    const run = runOf(4);
    settleUnits(run, 2, 3);
    const join = { type: 'units.join', ...joinOf(run) } as const;
    expect([run.ask(join), run.settle(join.activation, settlement)]).toEqual(['accepted', 'accepted']);
    while (liveOf(run).length > 0) for (const [id] of liveOf(run)) run.complete(id);

    expect(run.run.status).toBe('completed');
    expect(inboxOf(run.state, 's0', 'C')).toHaveLength(2);
    expect([...run.state.lists.keys()].filter((key) => key.startsWith('joined/'))).toEqual(['joined/s1/recent/D']);
  });
});

/** The same in a loop of B and C. */
const loop = `graph:
  id: g
  start: [A]
  end: [D]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: literal, context_window: 3, config: {content: b}}
    - {id: C, type: literal, context_window: -1, config: {content: c}}
    - {id: D, type: literal, context_window: 2, config: {content: d}}
  edges:
    - {from: A, to: B, dynamic: {type: map, config: {split_type: lines, max_parallel: 9}}}
    - {from: A, to: D, trigger: false}
    - {from: B, to: C}
    - {from: B, to: D, clear_context: true, clear_kept_context: true}
    - {from: C, to: B}
`;
const tree = document.replace('type: map', 'type: tree').replace('max_parallel', 'group_size: 2, max_parallel');

const treePlan = new TableRun(tree).plan;

const route = fc.record({ edge: fc.constantFrom(-1, 2, 3), isDropped: fc.boolean(), isKept: fc.boolean() });
const results = fc.array(fc.array(route, { maxLength: 4 }), { minLength: 4, maxLength: 8 });
type Results = readonly (readonly { readonly edge: number; readonly isDropped: boolean; readonly isKept: boolean }[])[];

const runs = new Map<string, TableRun>();

/** Folds these results of units and joins them in parts of these sizes; without parts, at once. Folds what follows, too. */
function join(text: string, results: Results, parts: readonly number[]): Draft {
  const key = `${results.length} ${text}`;
  const run = runs.get(key) ?? runOf(text === tree ? 2 * results.length : results.length, text);
  runs.set(key, run);
  const { plan } = run;
  const draft = new Draft(run.state);
  const fold = (event: Event) => evolve({ plan, draft, at: run.now }, event);
  const units = liveOf(run).filter(([, { part }]) => part === 'unit');
  const scope = units[0]?.[1].scope ?? 's1';
  let message = 100;
  for (const [activation, { unit = 0 }] of units) {
    const routes = (results[unit] ?? []).map(({ edge, isDropped, isKept }): Route => {
      const sent = {
        id: `m${message++}`,
        role: 'user',
        source: 'B',
        ...(isKept ? { keep: true as const } : {}),
      } as const;
      return isDropped && edge >= 0 ? { edge, output: 0, dropped: true } : { edge, output: 0, message: sent };
    });
    const outputs = routes.flatMap((one) => one.message ?? []);
    fold({ type: 'activation.completed', activation, outputs, routes: text === tree ? [] : routes });
  }
  if (parts.length > 0) {
    fold({ type: 'activation.ready', activation: 'a99', scope, node: 1, part: 'join', token: 't' });
    for (const units of parts) fold({ type: 'units.joined', scope, units });
    fold({ type: 'activation.opened', activation: 'a99' });
  }
  fold({ type: text === tree ? 'fanout.layered' : 'fanout.left', scope });
  if (text === loop) fold({ type: 'cycle.advanced', scope: 's1' });
  for (const at of draft.list('due/s0'))
    fold({ type: 'activation.ready', activation: `a${200 + at}`, scope: 's0', node: at, part: 'whole', token: 't' });
  if (text === tree)
    fold({ type: 'activation.ready', activation: 'a300', scope, node: 1, part: 'unit', unit: 1, token: 't' });
  return draft;
}

const seen = (text: string, state: Draft) => ({
  inboxes: ['B', 'C', 'D', 'E'].map((id) => inboxOf(state, 's0', id).map(({ n: _n, ...message }) => message)),
  records: ['item/', 'node/', 'fired/'].flatMap((prefix) =>
    [...state.keys(prefix)].map((key) => [key, state.get(key)]),
  ),
  scope: { ...state.get('scope/s1'), joined: undefined, units: undefined },
  input: text === tree ? inputOf(treePlan, state, 'a300') : [],
});

describe('joining units in parts', () => {
  it.each([
    ['a graph', document],
    ['a loop', loop],
    ['a tree', tree],
  ])('gives every node of %s what joining them at once gives it', (_place, text) => {
    fc.assert(
      fc.property(results, fc.integer({ min: 1, max: 3 }), (of, first) => {
        const inParts = join(text, of, [first, of.length - first]);
        expect(seen(text, inParts)).toEqual(seen(text, join(text, of, [])));
      }),
      { numRuns: 150 },
    );
  });
});
