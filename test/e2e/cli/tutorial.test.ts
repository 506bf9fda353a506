import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import type { Running } from '../../support/processes/millrace.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';

/*
 * Follows the tutorial in an empty folder: its YAML becomes files, and its blocks of commands are executed one after the
 * other. `millrace up` is the second terminal: it goes on in the background, and is stopped with Ctrl-C before the next one.
 */

const page = readFileSync(new URL('../../../docs/guide/tutorial.md', import.meta.url), 'utf8');
const main = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'millrace-tutorial-'));
const env = { MILLRACE_DIR: join(cwd, '.millrace') };
let worker: Running | undefined;

afterAll(async () => {
  await stopWorker();
  rmSync(cwd, { recursive: true, force: true });
});

/** Blocks of a language on the page, from its top to its bottom. */
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);

async function stopWorker(): Promise<void> {
  worker?.signal('SIGINT');
  await worker?.ended;
}

async function startWorker(): Promise<void> {
  await stopWorker();
  worker = startMillrace(['up'], { cwd, env });
  await worker.says(/Working on runs/);
}

/** Executes a block as the terminal of the reader does: variables stay from block to block. */
async function execute(block: string): Promise<string> {
  const script = `set -e
millrace() { '${process.execPath}' '${main}' "$@"; }
if [ -f variables ]; then . ./variables; fi
${block}
declare -p RUN > variables 2> variables.missing || rm variables`;
  const { REDIS_URL: _redis, ...inherited } = process.env;
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  expect({ block, code, stderr }).toEqual({ block, code: 0, stderr });
  return stdout;
}

/** Waits as the reader does, who looks at the list until the run waits for the editor. */
async function untilRunWaits(): Promise<void> {
  for (;;) {
    const { stdout } = await millrace(['runs'], { cwd, env });
    if (stdout.includes('waiting')) return;
    await pause(100);
  }
}

it('executes the commands of the tutorial as they are written', async () => {
  for (const yaml of blocksOf('yaml')) writeFileSync(join(cwd, /^# (\S+)\n/.exec(yaml)?.[1] ?? 'unnamed.yaml'), yaml);
  const results: string[] = [];
  for (const block of blocksOf('sh')) {
    if (block === 'millrace up\n') await startWorker();
    else results.push(await execute(block));
    if (block.includes('--detach')) await untilRunWaits();
  }

  const result = 'From 4 May the library opens on Sundays, from ten to four.\n';
  expect(page).toContain(result);
  expect(results[1]).toBe(result);
  expect(results.slice(3)).toEqual([
    expect.stringContaining('The library opens on Sundays.'),
    expect.stringContaining('run.finished'),
  ]);
});
