import { describe, expect, it } from 'vitest';
import { map, TableRun } from '../../../test-support/table-run.ts';
import type { StoreUnitsCommand } from './store-units.ts';

/** A run whose node B is to be split, and commands that store units of it. */
function runToSplit(document = map) {
  const run = new TableRun(document);
  run.complete('a1', 0);
  const token = run.tokenOf('a2');
  const unit = (body: number) => ({ role: 'user', source: 'A', body }) as const;
  const contents = (texts: readonly string[]) => ({
    units: texts.map((_text, at) => unit(at)),
    bodies: texts.map((content) => ({ role: 'user', content }) as const),
  });
  const store = (before: StoreUnitsCommand['before'], ...texts: readonly string[]): string =>
    run.ask({ type: 'units.store', activation: 'a2', token, before, ...contents(texts) });
  const open = (before: StoreUnitsCommand['before'], ...texts: readonly string[]): string => {
    const { units, bodies } = contents(texts);
    const result = { type: 'split', statics: [], before, units } as const;
    return run.ask({ type: 'settle', activation: 'a2', token, result, bodies });
  };
  const stored = () => run.state.list('units/s1').map(({ id }) => id);
  return { run, store, open, stored };
}

const cut = 'of the input';

describe('the units of a large fan-out', () => {
  it('are those of all parts, in their order', () => {
    const { run, store, open, stored } = runToSplit();

    const verdicts = [
      store({ count: 0, cut }, 'one', 'two'),
      store({ count: 2, cut }, 'three'),
      open({ count: 3, cut }, 'four'),
    ];

    expect(verdicts).toEqual(['accepted', 'accepted', 'accepted']);
    expect(stored()).toEqual(['m3', 'm4', 'm5', 'm6']);
    expect(run.state.get('scope/s1')).toMatchObject({ type: 'map', total: 4 });
    expect(run.run.nextScope).toBe(2);
  });

  it('are stored once: a part of another attempt that comes late or twice is refused', () => {
    const { store, open, stored } = runToSplit();
    store({ count: 0, cut }, 'one', 'two');

    const verdicts = [
      store({ count: 0, cut }, 'one', 'two'),
      store({ count: 4, cut }, 'five'),
      open({ count: 4, cut }, 'five'),
    ];

    expect(verdicts).toEqual(['UNITS_MOVED', 'UNITS_MOVED', 'UNITS_MOVED']);
    expect(stored()).toEqual(['m3', 'm4']);
  });

  it('are replaced by those of another input', () => {
    const { store, open, stored } = runToSplit();
    store({ count: 0, cut }, 'one', 'two');

    const verdicts = [store({ count: 0, cut: 'other' }, 'uno'), open({ count: 1, cut: 'other' }, 'due')];

    expect(verdicts).toEqual(['accepted', 'accepted']);
    expect(stored()).toEqual(['m5', 'm6']);
  });

  it('are replaced by those of another input that is stored at once', () => {
    const { run, store, open, stored } = runToSplit();
    store({ count: 0, cut }, 'one', 'two');

    expect(open({ count: 0, cut: 'other' }, 'uno')).toBe('accepted');
    expect(stored()).toEqual(['m5']);
    expect(run.state.get('scope/s1')).toMatchObject({ type: 'map', total: 1 });
  });

  it('are not stored any more when their scope is stopping, and those that are stored are removed', () => {
    const scopes = 'scopes: [{id: all, nodes: [B], termination: {type: external}}]';
    const { run, store, stored } = runToSplit(map.replace('start: [A]', `start: [A]\n  ${scopes}`));
    run.claim('a2');
    store({ count: 0, cut }, 'one', 'two');
    run.ask({ type: 'signal', name: 'enough' });

    expect(store({ count: 2, cut }, 'three')).toBe('SCOPE_STOPPING');
    expect(run.settle('a2', { type: 'postponed', until: 0 })).toBe('accepted');
    expect([stored(), run.run.status]).toEqual([[], 'completed']);
  });

  it('are removed when the activation completes without them', () => {
    const { run, store, stored } = runToSplit();
    store({ count: 0, cut }, 'one', 'two');

    run.complete('a2');

    expect([stored(), run.run.status]).toEqual([[], 'completed']);
  });

  it('are removed when the activation calls a graph without them', () => {
    const called = map.replace(
      'id: B, type: literal, config: {content: b}',
      'id: B, type: subgraph, config: {type: config, config: {id: inner, start: [C], nodes: [{id: C, type: literal, config: {content: c}}]}}',
    );
    const { run, store, stored } = runToSplit(called);
    store({ count: 0, cut }, 'one', 'two');

    expect(run.settle('a2', { type: 'called', task: [], presets: [] })).toBe('accepted');
    run.complete('a3');
    run.complete('a4');

    expect([stored(), run.run.status]).toEqual([[], 'completed']);
    expect([...run.state.lists.keys()].filter((key) => key.startsWith('units/'))).toEqual([]);
  });
});
