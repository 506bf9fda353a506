import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { millrace } from '../support/millrace.ts';

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

const run = (...args: string[]) => millrace(['run', ...args, '--input', 'go', '--local', '--json'], { cwd });

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
  const { code, stdout } = await run('keyed.yaml', '--script', 'script.yaml');

  expect([code, JSON.parse(stdout).output]).toEqual([0, 'a scripted reply']);
});
