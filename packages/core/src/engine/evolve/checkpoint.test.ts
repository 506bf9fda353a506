import { describe, expect, it } from 'vitest';
import { TableRun } from '../../../test-support/table-run.ts';
import type { ActivationId } from '../../model/ids.ts';
import type { JournalEntry } from '../records/event.ts';
import type { inputOf } from '../state/input.ts';
import { defaultRunLimits } from '../state/run-limits.ts';
import { Draft, State } from '../state/state.ts';
import type { RestoredState } from './checkpoint.ts';
import { checkpointOf, lacksFor, restoreCheckpoint, restoredInput } from './checkpoint.ts';
import { evolve } from './evolve.ts';

const sizes = { large: 4, ahead: 3 };

/** A, and B once for each part of what A says, two at a time; C gets the results, and D what C says of them. */
const mapOf = (type: string): string => `graph:
  id: g
  start: [A]
  end: [D]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: literal, config: {content: b}}
    - {id: C, type: literal, config: {content: c}}
    - {id: D, type: literal, config: {content: d}}
  edges:
    - {from: A, to: B, dynamic: {type: ${type}}}
    - {from: B, to: C}
    - {from: C, to: D}
`;

/** Executes a run with a fan-out of so many units to its end. */
function fanOut(units: number, type: string, unitsPerCommit: number): TableRun {
  const run = new TableRun(mapOf(type));
  run.limits = { ...defaultRunLimits, unitsPerCommit };
  run.complete('a1', 0, 1);
  const unit = { role: 'user', source: 'A', body: 0 } as const;
  run.settle('a2', { type: 'split', statics: [unit], units: Array.from({ length: units }, () => unit) });
  for (let next = liveIn(run); next !== undefined; next = liveIn(run)) {
    const token = run.tokenOf(next.id);
    if (next.part !== 'join') run.complete(next.id, ...edgesFrom(run, next.id));
    else if (run.ask({ type: 'units.join', activation: next.id, token }) === 'UNITS_JOINED')
      run.settle(next.id, { type: 'joined' });
  }
  return run;
}

const liveIn = ({ state }: TableRun) => {
  const [key] = state.keys('activation/');
  const id = key?.slice('activation/'.length) as ActivationId | undefined;
  const record = id && state.get(`activation/${id}`);
  return id === undefined || record === undefined ? undefined : { id, part: record.part };
};

const edgesFrom = ({ state }: TableRun, id: ActivationId): readonly number[] => {
  const node = state.get(`activation/${id}`)?.node;
  return node === 1 ? [1] : node === 2 ? [2] : [];
};

/** Folds entries into a state up to one that it lacks something for; returns the inputs of the activations that settle. */
function foldOn({ plan }: TableRun, from: RestoredState, entries: readonly JournalEntry[]) {
  const inputs = new Map<ActivationId, ReturnType<typeof inputOf> | 'lacking'>();
  for (const { event, at } of entries) {
    if (lacksFor(from, event)) return { inputs, stopped: event.type };
    if (event.type === 'activation.completed' || event.type === 'activation.opened')
      inputs.set(event.activation, restoredInput(plan, from, event.activation) ?? 'lacking');
    const draft = new Draft(from.state);
    evolve({ plan, draft, at }, event);
    from.state.apply(draft.writes());
  }
  return { inputs, stopped: undefined };
}

const nothing = (): RestoredState => ({ state: new State(), partial: new Set() });

/** Returns the state after so many entries, by way of a checkpoint in JSON. */
function restored(run: TableRun, entries: number): RestoredState {
  const before = nothing();
  foldOn(run, before, run.journal.slice(0, entries));
  return restoreCheckpoint(JSON.parse(JSON.stringify(checkpointOf(before.state, sizes))));
}

describe.each([
  ['a map', 'map, config: {max_parallel: 2}', 1000],
  ['a map whose results are joined in parts', 'map, config: {max_parallel: 2}', 3],
  ['a tree', 'tree, config: {group_size: 3, max_parallel: 2}', 1000],
])('a checkpoint in %s', (_shape, type, perCommit) => {
  const run = fanOut(14, type, perCommit);
  const { inputs: expected } = foldOn(run, nothing(), run.journal);

  it('gives every activation that settles after it the input that it had, or none', () => {
    for (let at = 1; at < run.journal.length; at++)
      for (const [id, input] of foldOn(run, restored(run, at), run.journal.slice(at)).inputs)
        if (input !== 'lacking') expect(input, `${id} from event ${at}`).toEqual(expected.get(id));
  });

  it('has the units that are executing and the next ones, and no others', () => {
    const at = run.journal.findIndex(({ event }) => event.type === 'activation.completed' && event.activation === 'a4');
    const { inputs, stopped } = foldOn(run, restored(run, at), run.journal.slice(at));
    const units = [...inputs].map(([id, input]) => [id, input === 'lacking' ? 'lacking' : 'there']);

    expect(units.slice(0, 3)).toEqual([
      ['a4', 'there'],
      ['a5', 'there'],
      ['a6', 'there'],
    ]);
    if (type.startsWith('map')) expect(units.at(-1)).toEqual(['a16', 'lacking']);
    // The results of the units before are not there.
    expect(stopped).toMatch(/^(fanout|units)\./);
  });

  it('is as good as the whole journal once the fan-out has ended', () => {
    const at = run.journal.findIndex(({ event }) => event.type === 'fanout.left') + 1;
    const { inputs } = foldOn(run, restored(run, at), run.journal.slice(at));

    expect(run.run.status).toBe('completed');
    expect(inputs.size).toBeGreaterThan(1);
    for (const [id, input] of inputs) expect(input, id).toEqual(expected.get(id));
  });
});
