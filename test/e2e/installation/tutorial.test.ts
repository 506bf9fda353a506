import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { commandBlocks, filesOf } from '../../support/guide/guide-page.ts';
import { missingLines } from '../../support/guide/missing-lines.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';

/*
 * Follows the tutorial in an empty folder: its YAML becomes files, and its blocks of commands are executed one after the
 * other. `millrace up` is the second terminal: it continues in the background, and is stopped with Ctrl-C before the next one.
 */

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));
const cwd = directoryBeforeAll();
const env = { MILLRACE_DIR: join(cwd, '.millrace') };
const provider = openBeforeAll(() => startFakeProvider());
let worker: RunningCommand | undefined;

afterAll(stopWorker);

async function stopWorker(): Promise<void> {
  worker?.signal('SIGINT');
  await worker?.ended;
}

/** Starts the second terminal; it has a key of the model server if the reader has set one there. */
async function startWorker(key: Readonly<Record<string, string>>): Promise<void> {
  await stopWorker();
  worker = startMillrace(['up'], { cwd, env: { ...env, ...key, OPENAI_BASE_URL: provider.at('openai') } });
  await worker.says(/Working on runs/);
}

/** Executes a block as the terminal of the reader does: variables stay from block to block. Returns what it shows. */
async function execute(block: string): Promise<string> {
  const script = `set -e
exec 2>&1
millrace() { '${process.execPath}' '${main}' "$@"; }
if [ -f variables ]; then . ./variables; fi
${block}
declare -p RUN > variables 2> variables.missing || rm variables`;
  const { REDIS_URL: _redis, npm_command: _npm, ...inherited } = process.env;
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const [code, printed] = await Promise.all([closed, text(child.stdout)]);
  expect({ block, code, printed }).toEqual({ block, code: 0, printed });
  return printed;
}

/** Waits as the reader does, who looks at the list until the run waits for the editor. */
async function untilRunWaits(): Promise<void> {
  for (;;) {
    const { stdout } = await millrace(['runs'], { cwd, env });
    if (stdout.includes('waiting')) return;
    await sleep(100);
  }
}

it('executes the commands of the tutorial as they are written, and they print what it shows', async () => {
  for (const [name, content] of filesOf('guide/tutorial.md')) writeFileSync(join(cwd, name), content);
  const outputs: string[] = [];
  for (const { text: block, output } of commandBlocks('guide/tutorial.md')) {
    const [, isKeySet, isUp] = /^(export OPENAI_API_KEY=…\n)?(millrace up)\n$/.exec(block) ?? [];
    if (isUp !== undefined) await startWorker(isKeySet === undefined ? {} : { OPENAI_API_KEY: 'key' });
    else {
      outputs.push(output);
      expect(missingLines(output, await execute(block))).toEqual([]);
    }
    if (block.includes('--detach')) await untilRunWaits();
  }

  expect(provider.refusals).toEqual([]);
  expect(provider.requests.filter(({ api }) => api !== 'models').length).toBeGreaterThan(1);
  expect(outputs.filter((output) => output !== '').length).toBeGreaterThanOrEqual(4);
});
