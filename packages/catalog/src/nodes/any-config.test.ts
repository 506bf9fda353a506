import { readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../index.ts';

const vocabulary = createVocabulary();

describe.each([...vocabulary.nodes.keys()])('a node of type %s', (type) => {
  it.each([
    '',
    ', config: 5',
    ', config: []',
    ', config: {}',
    ', config: {nonsense: [1]}',
    ', config: {store: 1, stores: 2, branches: [], nodes: 4, termination: 5}',
  ])('is read or refused without an exception: %j', (config) => {
    const text = `graph:\n  id: g\n  nodes:\n    - {id: A, type: ${type}${config}}\n`;

    const { workflow, issues } = readWorkflow({ file: 'a.yaml', text }, { vocabulary, mode: 'run' });

    expect(workflow !== undefined || issues.some(({ severity }) => severity === 'error')).toBe(true);
  });
});
