import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { directoryBeforeEach, openBeforeEach } from '../support/fixtures.ts';
import { ask } from '../support/http/http.ts';
import type { RunningServer } from '../support/processes/millrace.ts';
import { startServer } from '../support/processes/millrace.ts';
import { startRedis } from '../support/redis/redis.ts';

const yaml = `graph:
  id: slow
  nodes:
    - id: A
      type: agent
      config: { provider: scripted, name: m, params: { default: { text: done, delay_ms: 40 } } }
`;
const total = 120;

const redis = openBeforeEach(startRedis);
const directory = directoryBeforeEach();

/** Everything but Redis in one process. */
async function bringUp(): Promise<RunningServer> {
  const all = await startServer(['up', '--port', '0'], { env: { REDIS_URL: redis.url, MILLRACE_DIR: directory } });
  onTestFinished(async () => void (await all.stop('SIGKILL')));
  return all;
}

interface Counts {
  readonly completed: number;
  readonly running: number;
}

async function until(url: string, isWanted: (rows: Counts) => boolean): Promise<Counts> {
  for (;;) {
    const { body } = await ask(`${url}/v1/batches/many`);
    const rows = body['rows'] as unknown as Counts; // the contract's
    if (isWanted(rows)) return rows;
    await sleep(20);
  }
}

it('continues a batch after the death of all of its processes, with one run per row', async () => {
  const first = await bringUp();
  const rows = Array.from({ length: total }, (_, at) => ({ input: `Row ${at}` }));
  await ask(`${first.url}/v1/batches`, { id: 'many', workflow: { yaml }, parallel: 8, rows });
  await until(first.url, ({ completed }) => completed > 10);
  await first.stop('SIGKILL');

  const second = await bringUp();
  await until(second.url, ({ completed }) => completed > 50);
  await second.stop('SIGKILL');
  const third = await bringUp();
  const counts = await until(third.url, ({ completed }) => completed === total);

  expect(counts.running).toBe(0);
  const { body } = await ask(`${third.url}/v1/runs?tag=batch:many&limit=200`);
  const runs = body['data'] as { runId: string; status: string }[]; // the contract's
  expect(runs.map(({ runId }) => runId).toSorted()).toEqual(rows.map((_row, at) => `many_${at + 1}`).toSorted());
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['completed']));
});
