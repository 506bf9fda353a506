import type { CopyProgress, RunHandle, TenantEvent } from '@millrace/client';
import { Millrace } from '@millrace/client';
import { beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import type { Tenant } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';
import { millrace, millraceProgram } from '../../support/processes/millrace.ts';
import { nodeOnTerminal } from '../../support/processes/pseudo-terminal.ts';
import { holdCopies } from '../../support/runs/held-copies.ts';
import { turningText } from '../../support/runs/turning.ts';

const api = openBeforeAll(() => serveApi({ journalWindow: 60 }));
const cwd = directoryBeforeAll();
let acme: Tenant;
let client: Millrace;
let run: string;
beforeAll(async () => {
  acme = await api.tenant('acme', 'run', 'read');
  client = new Millrace({ url: api.orchestrator.url, apiKey: acme.key });
  run = await acme.start(turningText(60));
});

/** Copies the history of the run while copies are held until their progress was reported. */
async function copied(copy: (onProgress: (progress: CopyProgress) => void) => Promise<RunHandle>) {
  const held = holdCopies(api.runtime);
  const reported: CopyProgress[] = [];
  try {
    const made = await copy((progress) => {
      reported.push(progress);
      held.release();
    });
    // A run that goes on writes parts of its own.
    await made.result();
    return reported;
  } finally {
    held.release();
  }
}

it('is reported to who forks or replays a long run', async () => {
  const forked = await copied((onProgress) => client.runs.get(run).fork({ at: 'a50' }, { onProgress }));
  const replayed = await copied((onProgress) => client.runs.get(run).replay({ runId: 'again' }, { onProgress }));

  expect(forked[0]).toEqual({ done: expect.any(Number), total: 50 });
  expect(replayed[0]).toEqual({ done: expect.any(Number), total: 121 });
  for (const { done, total } of [...forked, ...replayed]) expect([done > 0, done <= total]).toEqual([true, true]);
  expect(await client.runs.get('again').result()).toMatchObject({ status: 'completed' });
});

it('is an event of the tenant', async () => {
  const over = new AbortController();
  const held = holdCopies(api.runtime);
  const events: TenantEvent[] = [];
  let asked: Promise<unknown> | undefined;
  for await (const event of client.events({ signal: over.signal })) {
    if (event.type === 'gap') asked = acme.ask(`/v1/runs/${run}/fork`, { at: 'a50', runId: 'mine' });
    if (event.type !== 'progress') continue;
    events.push(event);
    break;
  }
  held.release();
  await asked;
  await client.runs.get('mine').result();

  expect(events).toEqual([{ type: 'progress', runId: 'mine', done: expect.any(Number), total: 50 }]);
});

it('is not reported without the right to read, which a fork does not need', async () => {
  const apiKey = await api.keyOf('acme', 'run');
  const reported: CopyProgress[] = [];

  const fork = await new Millrace({ url: api.orchestrator.url, apiKey }).runs
    .get(run)
    .fork({ at: 'a50' }, { onProgress: (progress) => reported.push(progress) });

  expect((await acme.ask(`/v1/runs/${fork.id}?wait=30s`)).body).toMatchObject({ status: 'completed' });
  expect(reported).toEqual([]);
});

it('is a line on a terminal, and nothing in a pipe', async () => {
  const held = holdCopies(api.runtime);
  const args = [millraceProgram, 'fork', run, '--at', 'a50', '--detach'];
  const seen = (shown: string) => shown.includes('copying the history:') && held.release();

  const { code, shown } = await nodeOnTerminal(args, { cwd, env: acme.env, seen });

  expect(code).toBe(0);
  for await (const { runId } of client.runs.list({ of: run })) await client.runs.get(runId).result();
  expect(shown).toMatch(/copying the history: \d+ of 50 activations/);
  expect(shown).toContain('copied the history: 50 activations');
  const piped = await millrace(['replay', run, '--detach'], { cwd, env: acme.env });
  expect([piped.code, piped.stderr]).toEqual([0, expect.not.stringContaining('history')]);
});
