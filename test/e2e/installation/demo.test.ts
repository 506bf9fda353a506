import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JournalEntry } from '@millrace/core';
import { expect, it } from 'vitest';
import { directoryBeforeEach } from '../../support/fixtures.ts';
import { millrace, startMillrace, startServer } from '../../support/processes/millrace.ts';
import { nodeOnTerminal } from '../../support/processes/pseudo-terminal.ts';
import { waitFor } from '../../support/waiting.ts';

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));

const folder = directoryBeforeEach();
/** Variables of the demo: the place of its temporary directory, and a setting that would make it fail if it used it. */
const env = { TMPDIR: folder, MILLRACE_URL: 'http://127.0.0.1:1' };

/** Processes of this machine that name the folder in their command line or environment. */
const processes = (): readonly string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid))
    .filter((pid) => {
      try {
        return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder));
      } catch {
        return false; // it has ended
      }
    });

async function journalOf(run: string, directory: string): Promise<readonly JournalEntry[]> {
  const { stdout } = await millrace(['journal', run, '--json'], { env: { MILLRACE_DIR: directory } });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('kills a worker that has work in progress, and repeats no model call that was completed', async () => {
  const keep = join(folder, 'kept');
  const { code, stdout } = await millrace(['demo', '--json', '--keep', keep], { env });
  const { runId, status, killed, modelCalls } = JSON.parse(stdout);
  expect({ code, status, modelCalls }).toMatchObject({
    code: 0,
    status: 'completed',
    modelCalls: { completed: 7, repeated: 0, interrupted: 1 },
  });

  const events = (await journalOf(runId, keep)).map(({ event }) => event);

  const ofKilled = events.filter((event) => 'activation' in event && event.activation === killed.activation);
  const [first, second] = ofKilled.filter((event) => event.type === 'activation.started');
  expect(first).toMatchObject({ attempt: 1, worker: expect.stringMatching(new RegExp(`-${killed.pid}$`)) });
  expect(second).toMatchObject({ attempt: 2, worker: expect.not.stringMatching(new RegExp(`-${killed.pid}$`)) });
  const order = ofKilled.map(({ type }) => type);
  expect(order.indexOf('step.started')).toBeLessThan(order.indexOf('step.lost'));
  expect(order.indexOf('step.lost')).toBeLessThan(order.indexOf('step.completed'));
  const completed = events.flatMap((event) =>
    event.type === 'step.completed' ? [`${event.activation}/${event.step}`] : [],
  );
  expect(completed).toHaveLength(7);
  expect(new Set(completed).size).toBe(7);
});

it('lets a person at a terminal be the editor, leaves no process behind, and ends with the address of its run', async () => {
  const typed = [['◆', 'ACCEPT\r']] as const;
  const { code, shown } = await nodeOnTerminal([main, 'demo'], { cwd: folder, env, typed });

  expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringMatching(/kill -9 \d+.*✔ completed/s) });
  expect(shown).toContain('5 model calls');
  expect(shown).toContain('none repeated');
  await waitFor(() => expect(processes()).toEqual([]));

  const [, directory = '', port, run] =
    /MILLRACE_DIR=(\S+) millrace up\s+http:\/\/127\.0\.0\.1:(\d+)\/ui\/runs\/(\S+)\s*$/.exec(shown) ?? [];
  expect({ directory, port }).toEqual({ directory: expect.stringContaining(folder), port: '4700' });
  const up = await startServer(['up', '--port', '0'], { env: { MILLRACE_DIR: directory } });
  expect(await (await fetch(`${up.url}/v1/runs/${run}`)).json()).toMatchObject({ status: 'completed' });
  await up.stop();
});

it('names the commands that come next as it was called itself, without a terminal too', async () => {
  const { code, stdout } = await millrace(['demo'], { env: { ...env, npm_command: 'exec' } });

  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('What to try next') });
  const [, next = ''] = stdout.split('What to try next');
  expect(next.match(/\bmillrace (?:run|init|up)/g)).toHaveLength(4);
  expect(next.match(/npx millrace (?:run|init|up)/g)).toHaveLength(4);
});

it('leaves no process and no file behind when it is interrupted', async () => {
  const demo = startMillrace(['demo', '--json'], { env });
  await demo.says(/✔ Researcher/);

  demo.signal('SIGINT');

  expect(await demo.ended).toMatchObject({ code: 130 });
  await waitFor(() => expect(processes()).toEqual([]));
  expect(readdirSync(folder)).toEqual([]);
});

it('leaves no process behind when it is killed', async () => {
  const demo = startMillrace(['demo', '--json'], { env });
  await demo.says(/✔ Researcher/);

  demo.signal('SIGKILL');

  await demo.ended;
  await waitFor(() => expect(processes()).toEqual([]));
});

it('prints three commands that help without a Redis, and reads no .env file', async () => {
  writeFileSync(join(folder, '.env'), 'REDIS_URL=redis://127.0.0.1:1\n');
  const { code, stderr } = await millrace(['demo'], { cwd: folder, env: { ...env, PATH: folder } });

  expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('[REDIS_MISSING]') });
  expect(stderr).toMatch(
    /(?:apt-get|brew|dnf) install (?:redis|valkey).*demo --local.*The demo starts a Redis of its own/s,
  );
  expect(stderr.match(/demo --local/g)).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['.env']);
});
