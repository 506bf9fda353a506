import { createVocabulary } from '@millrace/catalog';
import type { Checkpoint, State } from '@millrace/core';
import { checkpointOf, compile, Draft, evolve, restoreCheckpoint } from '@millrace/core';
import { fold } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { packCommit, unpackCommit } from '../../../packages/runtime/src/adapters/redis/store/commit/journal-commit.ts';
import { goldens, written } from '../../golden/golden.ts';

it.each([...goldens()])('folds the journal of a %s as the version that wrote it', (_shape, golden) => {
  const plan = compile(golden.workflow, createVocabulary());

  for (const { after, ...state } of golden.states) {
    // What is undefined is not written down.
    const folded: unknown = JSON.parse(JSON.stringify(written(fold(plan, golden.journal.slice(0, after)))));
    expect(folded, `after ${after} events`).toEqual(state);
  }
});

it.each([...goldens()])(
  'folds the journal of a %s from a checkpoint after any event',
  (_shape, { workflow, journal }) => {
    const plan = compile(workflow, createVocabulary());
    const whole = withoutArchive(fold(plan, journal));

    for (let at = 1; at < journal.length; at++) {
      const checkpoint: unknown = JSON.parse(JSON.stringify(checkpointOf(fold(plan, journal.slice(0, at)))));
      const { state, partial } = restoreCheckpoint(checkpoint as Checkpoint); // as it was written
      for (const entry of journal.slice(at)) {
        const draft = new Draft(state);
        evolve({ plan, draft, at: entry.at }, entry.event);
        state.apply(draft.writes());
      }
      expect(partial.size).toBe(0);
      expect(withoutArchive(state), `from event ${at}`).toEqual(whole);
    }
  },
);

/** A state as it is written down, without the places of archived parts, which a checkpoint does not have. */
function withoutArchive(state: State): unknown {
  const { records, lists } = written(state);
  const { 'archive/journal': _parts, ...others } = lists;
  return JSON.parse(JSON.stringify({ records, lists: others }));
}

it.each([...goldens()])('stores every event of a %s in few words, and reads it again', (_shape, golden) => {
  for (const { at, event: recorded } of golden.journal) {
    const first = 'activation' in recorded ? { type: recorded.type, activation: recorded.activation } : {};
    const event = { ...first, ...recorded };
    for (const nonce of ['n', 'token' in event ? event.token : 'n']) {
      const commit = { at, nonce, events: [event] };
      // The order of the fields is that of the API.
      expect(JSON.stringify(unpackCommit(nonce, packCommit(commit)))).toBe(JSON.stringify(commit));
    }
  }
});

it('has a journal of every kind', () => {
  expect([...goldens().keys()].sort()).toEqual([
    'branches',
    'budget',
    'chain',
    'cycle',
    'human',
    'map',
    'retry',
    'tree',
    'waits',
  ]);
});
