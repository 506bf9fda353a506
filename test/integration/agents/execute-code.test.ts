import { textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { openStage } from '../../support/runs/stage.ts';

const stage = openBeforeAll(() => openStage({ where: { local: true } }));

/** Runs an agent that calls these tools in one reply, and answers with the last result. */
async function lastResult(...calls: readonly { name: string; arguments: unknown }[]): Promise<string> {
  const names = [...new Set(calls.map(({ name }) => name))].map((name) => ({ name }));
  const config = {
    provider: 'scripted',
    name: 'm',
    params: { default: { tool_calls: calls }, rules: [{ when: { last_role: 'tool' }, reply: '{last}' }] },
    tooling: [{ type: 'function', config: { tools: names } }],
  };
  const graph = { id: 'coding', nodes: [{ id: 'Coder', type: 'agent', config }] };
  const { description } = await stage.run(JSON.stringify({ graph }), 'go');
  expect(description.status).toBe('completed');
  return description.output === undefined ? '' : textOf(description.output);
}

const code = (text: string) => ({ name: 'execute_code', arguments: { code: text } });

it('runs the code of a model, and tells what it prints', async () => {
  expect(await lastResult(code('print(6 * 7)'))).toBe('42\n');
});

it('runs it in the workspace, and leaves no file of its own', async () => {
  const files = await lastResult(code("open('made.txt', 'w').write('x')"), { name: 'list_directory', arguments: {} });

  expect(files).toContain('made.txt');
  expect(files).not.toContain('millrace-code');
});

it('leaves none when the code has put a folder in its place', async () => {
  const replaced = 'import os, sys; os.remove(sys.argv[0]); os.makedirs(sys.argv[0] + "/inner")';
  expect(await lastResult(code(replaced), { name: 'list_directory', arguments: {} })).not.toContain('millrace-code');
});

it.each([
  ['raise ValueError("no")', 'ValueError: no'],
  ['import sys; sys.exit(3)', 'ended with the code 3'],
])('tells the model how %s failed', async (text, expected) => {
  expect(await lastResult(code(text))).toContain(expected);
});

it('tells the model what is wrong with its arguments', async () => {
  expect(await lastResult({ name: 'execute_code', arguments: {} })).toContain('invalid arguments');
});
