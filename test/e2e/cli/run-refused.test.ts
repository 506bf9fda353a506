import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command } from '../../support/processes/command.ts';

let cwd = '';

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-refused-'));
  writeFileSync(join(cwd, 'broken.yaml'), 'graph:\n  id: broken\n  nodes:\n    - {id: A, type: nothing, config: {}}\n');
  writeFileSync(
    join(cwd, 'keyed.yaml'),
    'graph:\n  id: keyed\n  nodes:\n    - {id: A, type: agent, config: {provider: openai, name: m, base_url: "${NO_SUCH_URL}"}}\n',
  );
  writeFileSync(join(cwd, 'script.yaml'), 'default: a scripted reply\n');
});

afterAll(() => rmSync(cwd, { recursive: true }));

const file = (name: string): string => join(cwd, name);
const run = (named: string, ...args: string[]) =>
  command(['run', file(named), ...args, '--input', 'go', '--local', '--json'], {});

it('gives the problems of a definition as JSON, too', async () => {
  const { code, stdout } = await run('broken.yaml');

  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { exit: 2, issues: [{ code: 'E_NODE_TYPE_UNKNOWN', line: 4 }] } });
});

it('refuses a variable that nobody has set', async () => {
  const { code, stdout } = await run('keyed.yaml');

  expect(code).toBe(2);
  expect(JSON.parse(stdout).error.issues[0].message).toContain('NO_SUCH_URL');
});

it('needs no variables for the models when a script answers in their place', async () => {
  const { code, stdout } = await run('keyed.yaml', '--script', file('script.yaml'));

  expect([code, JSON.parse(stdout).output]).toEqual([0, 'a scripted reply']);
});

it('refuses a script that is another kind of file, or has more in it than a script', async () => {
  const { code, stderr } = await run('keyed.yaml', '--script', file('broken.yaml'));

  expect([code, stderr]).toEqual([2, expect.stringMatching(/broken\.yaml is not a script: .*"graph"/)]);
});

it('knows a name for what it is not before anything is started', async () => {
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

it('says what to do about a workflow, or a task, that is too large', async () => {
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

it('ends before anything is started when it may reach what is no address', async () => {
  const env = { MILLRACE_DIR: file('nothing'), MILLRACE_OUTBOUND_ALLOW: 'http://tools.internal/' };
  const { code, stderr } = await command(['runs'], env);

  expect([code, stderr]).toEqual([2, expect.stringContaining('[OUTBOUND_INVALID]')]);
  expect(existsSync(file('nothing'))).toBe(false);
});

it('gives what is wrong with options as JSON, too', async () => {
  const { code, stdout } = await command(['runs', '--nope', '--json'], {});

  expect([code, JSON.parse(stdout)]).toEqual([2, { error: { exit: 2, message: "unknown option '--nope'" } }]);
});
