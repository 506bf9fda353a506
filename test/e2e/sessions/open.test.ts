import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace, startServer } from '../../support/processes/millrace.ts';
import { nodeOnTerminal } from '../../support/processes/pseudo-terminal.ts';
import { waitFor } from '../../support/waiting.ts';

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));
const workflow = 'graph:\n  id: one\n  nodes: [{ id: A, type: literal, config: { content: ok } }]\n';

const cwd = directoryBeforeAll({ 'one.yaml': workflow });
const env = { MILLRACE_DIR: join(cwd, 'data') };
const up = openBeforeAll(() => startServer(['up', '--port', '0'], { cwd, env }));
let run: string;

beforeAll(async () => {
  writeFileSync(join(cwd, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${cwd}/opened'\n`);
  chmodSync(join(cwd, 'xdg-open'), 0o755);
  run = (await millrace(['run', 'one.yaml', '--input', 'go', '--detach'], { cwd, env })).stdout.trim();
});

it('prints the address of the page without a terminal', async () => {
  for (const place of [env, { MILLRACE_URL: `${up.url}/` }]) {
    const { code, stdout } = await millrace(['open', run.slice(0, -2)], { cwd, env: { ...place, DISPLAY: ':0' } });

    expect({ code, stdout }).toEqual({ code: 0, stdout: `${up.url}/ui/runs/${run}\n` });
  }
});

it('opens the page in the default browser, without a shell', async () => {
  const display = { ...env, DISPLAY: ':0', PATH: `${cwd}:${process.env['PATH']}` };
  const { code, shown } = await nodeOnTerminal([main, 'open', run], { cwd, env: display });

  expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining(`${up.url}/ui/runs/${run}`) });
  await waitFor(() => expect(readFileSync(join(cwd, 'opened'), 'utf8')).toBe(`1\n${up.url}/ui/runs/${run}\n`));
});

it('names the command that serves a dashboard where none runs, and refuses unknown runs', async () => {
  const unserved = await millrace(['open', run], { cwd, env: { MILLRACE_DIR: join(cwd, 'other') } });
  const unknown = await millrace(['open', '$(touch x)'], { cwd, env });

  expect(unserved).toMatchObject({ code: 2, stderr: expect.stringContaining('in another terminal: millrace up') });
  expect(unknown).toMatchObject({ stdout: '', stderr: expect.stringContaining('$(touch x)') });
  expect(unknown.code).not.toBe(0);
});
