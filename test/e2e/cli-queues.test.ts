import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '@millrace/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { millrace, startMillrace } from '../support/millrace.ts';
import type { RedisServer } from '../support/redis.ts';
import { startRedis } from '../support/redis.ts';

const routed = `
version: 0.4.0
graph:
  id: routed
  nodes:
    - {id: Near, type: literal, config: {content: near}}
    - {id: Far, type: literal, queue: gpu, config: {content: far}}
  edges:
    - {from: Near, to: Far}
`;

let redis: RedisServer;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-queues-'));
  await writeFile(join(directory, 'routed.yaml'), routed);
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
  await rm(directory, { recursive: true, force: true });
});

const around = () => ({ cwd: directory, env: { REDIS_URL: redis.url, MILLRACE_DIR: directory } });

it('lets a node wait for the workers of its queue, and says that there are none', async () => {
  const near = startMillrace(['worker'], around());
  await near.says(/Working on runs/);
  const run = startMillrace(['run', 'routed.yaml', '--input', 'go'], around());

  await run.says(/Far waits in the queue gpu, which no worker serves/);
  const { stdout } = await millrace(['doctor', '--json'], around());
  const findings: readonly Finding[] = JSON.parse(stdout);
  expect(findings.find(({ subject }) => subject === 'queue gpu')).toEqual({
    level: 'weak',
    subject: 'queue gpu',
    message: '1 waiting, 0 at work, 0 workers: nobody takes what waits there',
    cure: 'millrace worker --queues gpu',
  });

  const far = startMillrace(['worker', '--queues', 'gpu'], around());
  expect((await run.ended).stdout).toBe('far\n');
  for (const worker of [near, far]) worker.signal('SIGTERM');
  await Promise.all([near.ended, far.ended]);
});

it('works on all queues when it is alone', async () => {
  const { code, stdout } = await millrace(['run', 'routed.yaml', '--input', 'go', '--priority', '7'], around());

  expect([code, stdout]).toEqual([0, 'far\n']);
});

it('says what is wrong with names of queues', async () => {
  const { code, stderr } = await millrace(['worker', '--queues', 'a,b c'], around());

  expect(code).toBe(2);
  expect(stderr).toContain('Give names of queues with commas between, or * for all.');
});
