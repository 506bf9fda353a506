import { createVocabulary } from '@millrace/catalog';
import { readWorkflow } from '@millrace/core';
import { expect, it } from 'vitest';
import { withInterpreters } from './with-interpreters.ts';

const vocabulary = withInterpreters(createVocabulary(), { PATH: '/nowhere:/bin' });

/** Returns the warnings about a node with this interpreter. */
function warningsOf(interpreter: string) {
  const node = { id: 'Run', type: 'python', config: { interpreter } };
  const { issues } = readWorkflow(
    { file: 'flow.yaml', text: JSON.stringify({ graph: { id: 'flow', nodes: [node] } }) },
    { vocabulary, mode: 'check', environment: {} },
  );
  return issues.map(({ code, path }) => `${code} ${path}`);
}

it.each(['C:\\Python\\python.exe', 'C:/Python/python.exe', '/opt/none/python', 'no-python'])(
  'warns of %s, which is not there',
  (interpreter) => {
    expect(warningsOf(interpreter)).toEqual(['W_INTERPRETER_MISSING graph.nodes[0].config.interpreter']);
  },
);

it.each(['sh', '/bin/sh', '.venv/bin/python'])('accepts %s, which is there or may come with the run', (interpreter) => {
  expect(warningsOf(interpreter)).toEqual([]);
});
