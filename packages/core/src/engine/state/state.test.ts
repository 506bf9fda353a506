import { describe, expect, it } from 'vitest';
import type { InboxEntry } from '../records/records.ts';
import { Draft, State } from './state.ts';

const entry = (n: number): InboxEntry => ({ n, id: `m${n}`, role: 'user', source: 'A' });
const inbox = 'recent/s0/A' as const;

describe('Draft', () => {
  it('leaves the state below it unchanged', () => {
    const state = new State();
    state.apply([{ type: 'append', key: inbox, entries: [entry(1)] }]);
    const draft = new Draft(state);

    draft.append(inbox, [entry(2)]);
    draft.trim(inbox, 1);

    expect(draft.list(inbox)).toEqual([entry(2)]);
    expect(state.list(inbox)).toEqual([entry(1)]);
  });

  it('writes nothing for what was added and removed again', () => {
    const draft = new Draft(new State());

    draft.append(inbox, [entry(1)]);
    draft.trim(inbox, 0);
    draft.set('fired/s1', [1]);
    draft.delete('fired/s1');

    expect(draft.writes()).toEqual([]);
  });

  it('converts to writes that bring the state to what the draft shows', () => {
    const state = new State();
    state.apply([{ type: 'append', key: inbox, entries: [1, 2, 3].map(entry) }]);
    const draft = new Draft(state);

    draft.trim(inbox, 2);
    draft.append(inbox, [entry(4), entry(5)]);
    draft.trim(inbox, 3);
    const shown = [...draft.list(inbox)];
    state.apply(draft.writes());

    expect(shown).toEqual([3, 4, 5].map(entry));
    expect(state.list(inbox)).toEqual(shown);
  });

  it('applies the changes of a draft on top of it', () => {
    const state = new State();
    state.apply([{ type: 'append', key: inbox, entries: [1, 2, 3].map(entry) }]);
    const outer = new Draft(state);
    outer.append(inbox, [entry(4)]);
    const inner = new Draft(outer);

    inner.trim(inbox, 2);
    inner.append(inbox, [entry(5)]);
    outer.merge(inner);

    expect(outer.list(inbox)).toEqual([3, 4, 5].map(entry));
    expect(outer.size(inbox)).toBe(3);
  });

  it('lists its own keys and those below, without the deleted ones', () => {
    const state = new State();
    state.apply([
      { type: 'set', key: 'fired/s1', value: [1] },
      { type: 'set', key: 'fired/s2', value: [2] },
    ]);
    const draft = new Draft(state);

    draft.delete('fired/s1');
    draft.set('fired/s3', [3]);

    expect([...draft.keys('fired/')].sort()).toEqual(['fired/s2', 'fired/s3']);
  });
});
