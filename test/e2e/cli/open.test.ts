import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Running } from '../../support/processes/millrace.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';
import { nodeOnTerminal } from '../../support/processes/pseudo-terminal.ts';

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));
const workflow = 'graph:\n  id: one\n  nodes: [{ id: A, type: literal, config: { content: ok } }]\n';

let cwd: string;
let env: Readonly<Record<string, string>>;
let up: Running;
let url: string;
let run: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-open-'));
  env = { MILLRACE_DIR: join(cwd, 'data') };
  writeFileSync(join(cwd, 'one.yaml'), workflow);
  writeFileSync(join(cwd, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${cwd}/opened'\n`);
  chmodSync(join(cwd, 'xdg-open'), 0o755);
  up = startMillrace(['up', '--port', '0'], { cwd, env });
  url = (await up.says(/HTTP API is at (http:\S+)/))[1] ?? '';
  run = (await millrace(['run', 'one.yaml', '--input', 'go', '--detach'], { cwd, env })).stdout.trim();
});
afterAll(async () => {
  up.signal('SIGTERM');
  await up.ended;
  rmSync(cwd, { recursive: true, maxRetries: 10 });
});

it('prints the address of the page without a terminal', async () => {
  for (const place of [env, { MILLRACE_URL: `${url}/` }]) {
    const { code, stdout } = await millrace(['open', run.slice(0, -2)], { cwd, env: { ...place, DISPLAY: ':0' } });

    expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}/ui/runs/${run}\n` });
  }
});

it('opens the page in the default browser, without a shell', async () => {
  const display = { ...env, DISPLAY: ':0', PATH: `${cwd}:${process.env['PATH']}` };
  const { code, shown } = await nodeOnTerminal([main, 'open', run], { cwd, env: display });

  expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining(`${url}/ui/runs/${run}`) });
  await vi.waitFor(() => expect(readFileSync(join(cwd, 'opened'), 'utf8')).toBe(`1\n${url}/ui/runs/${run}\n`));
});

it('names the command that serves a dashboard where none runs, and refuses unknown runs', async () => {
  const unserved = await millrace(['open', run], { cwd, env: { MILLRACE_DIR: join(cwd, 'other') } });
  const unknown = await millrace(['open', '$(touch x)'], { cwd, env });

  expect(unserved).toMatchObject({ code: 2, stderr: expect.stringContaining('millrace up --port 4700') });
  expect(unknown).toMatchObject({ stdout: '', stderr: expect.stringContaining('$(touch x)') });
  expect(unknown.code).not.toBe(0);
});
