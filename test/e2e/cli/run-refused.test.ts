import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';

const cwd = directoryBeforeAll({
  'broken.yaml': 'graph:\n  id: broken\n  nodes:\n    - {id: A, type: nothing, config: {}}\n',
  'keyed.yaml':
    'graph:\n  id: keyed\n  nodes:\n    - {id: A, type: agent, config: {provider: openai, name: m, base_url: "${NO_SUCH_URL}"}}\n',
  'script.yaml': 'default: a scripted reply\n',
});

const file = (name: string): string => join(cwd, name);
const run = (named: string, ...args: string[]) =>
  command(['run', file(named), ...args, '--input', 'go', '--local', '--json'], {});

it('prints the problems of a definition as JSON, too', async () => {
  const { code, stdout } = await run('broken.yaml');

  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { exit: 2, issues: [{ code: 'E_NODE_TYPE_UNKNOWN', line: 4 }] } });
});

it('refuses a variable without a value', async () => {
  const { code, stdout } = await run('keyed.yaml');

  expect(code).toBe(2);
  expect(JSON.parse(stdout).error.issues[0].message).toContain('NO_SUCH_URL');
});

it('needs no variables of models when a script replaces them', async () => {
  const { code, stdout } = await run('keyed.yaml', '--script', file('script.yaml'));

  expect([code, JSON.parse(stdout).output]).toEqual([0, 'a scripted reply']);
});

it('refuses a script that is another kind of file, or has unknown fields', async () => {
  const { code, stderr } = await run('keyed.yaml', '--script', file('broken.yaml'));

  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/broken\.yaml is not a script: .*"graph".*\[FILE_INVALID\]/s),
  ]);
});

it('fails where the dynamic edges into a node have different settings', async () => {
  const edge = (from: string, most: number) =>
    `{ from: ${from}, to: C, dynamic: { type: map, config: { split_type: message, max_parallel: ${most} } } }`;
  const node = (id: string) => `{ id: ${id}, type: passthrough, config: {} }`;
  writeFileSync(
    file('conflict.yaml'),
    `graph: { id: conflict, start: [A, B], end: [C], nodes: [${['A', 'B', 'C'].map(node)}], edges: [${edge('A', 1)}, ${edge('B', 2)}] }`,
  );
  const { code, stdout } = await run('conflict.yaml');

  expect([code, JSON.parse(stdout).error]).toMatchObject([1, { code: 'FAN_OUT_CONFLICT' }]);
});

it('refuses a place for its data that cannot be written to', async () => {
  const { code, stderr } = await command(['run', file('keyed.yaml'), '--script', file('script.yaml'), '--input', 'x'], {
    MILLRACE_DIR: file('script.yaml/data'),
  });

  expect([code, stderr]).toEqual([2, expect.stringContaining('[PATH_UNWRITABLE]')]);
});

it('refuses a name that is no file and no published workflow before anything starts', async () => {
  const env = { MILLRACE_DIR: file('nothing') };
  const tried = await Promise.all([
    command(['run', 'nofile.yaml'], env),
    command(['run', 'nofile.yaml', '--local'], { MILLRACE_URL: 'http://127.0.0.1:1' }),
  ]);

  for (const { code, stderr } of tried) {
    expect([code, stderr]).toEqual([3, expect.stringContaining('nofile.yaml is neither a file nor a published')]);
  }
  expect(existsSync(file('nothing'))).toBe(false);
});

it('reports how to correct a workflow or a task that is too large', async () => {
  writeFileSync(file('large.yaml'), 'x'.repeat(2 * 1024 * 1024 + 1));
  const [workflow, task] = [
    await run('large.yaml'),
    await command(
      ['run', file('keyed.yaml'), '--script', file('script.yaml'), '--local', '--input', `@${file('large.yaml')}`],
      {},
    ),
  ];

  expect([workflow.code, workflow.stderr]).toEqual([2, expect.stringMatching(/hint: Take large texts out of it/)]);
  expect([task.code, task.stderr]).toEqual([2, expect.stringContaining('Give it on standard input, as -.')]);
});

it('ends before anything starts when an allowed address is malformed', async () => {
  const env = { MILLRACE_DIR: file('nothing'), MILLRACE_OUTBOUND_ALLOW: 'http://tools.internal/' };
  const { code, stderr } = await command(['runs'], env);

  expect([code, stderr]).toEqual([2, expect.stringContaining('[OUTBOUND_INVALID]')]);
  expect(existsSync(file('nothing'))).toBe(false);
});

it('prints problems of options as JSON, too', async () => {
  const { code, stdout } = await command(['runs', '--nope', '--json'], {});

  expect([code, JSON.parse(stdout)]).toEqual([2, { error: { exit: 2, message: "unknown option '--nope'" } }]);
});
