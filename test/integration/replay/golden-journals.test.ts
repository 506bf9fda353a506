import { createVocabulary } from '@millrace/catalog';
import { compile } from '@millrace/core';
import { fold } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { goldens, written } from '../../golden/golden.ts';

it.each([...goldens()])('folds the journal of a %s as the version that wrote it', (_shape, golden) => {
  const plan = compile(golden.workflow, createVocabulary());

  for (const { after, ...state } of golden.states) {
    // What is undefined is not written down.
    const folded: unknown = JSON.parse(JSON.stringify(written(fold(plan, golden.journal.slice(0, after)))));
    expect(folded, `after ${after} events`).toEqual(state);
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
