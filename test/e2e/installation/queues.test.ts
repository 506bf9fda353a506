import { join } from 'node:path';
import type { Finding } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { command, startCommand } from '../../support/processes/command.ts';
import { startMillrace } from '../../support/processes/millrace.ts';
import { startRedis } from '../../support/redis/redis.ts';

const routed = `
version: 0.4.0
graph:
  id: routed
  nodes:
    - {id: Near, type: literal, config: {content: local}}
    - {id: Far, type: literal, queue: gpu, config: {content: remote}}
  edges:
    - {from: Near, to: Far}
`;

const directory = directoryBeforeAll({ 'routed.yaml': routed });
const redis = openBeforeAll(startRedis);

const env = () => ({ REDIS_URL: redis.url, MILLRACE_DIR: directory });
const work = (...args: string[]) => startMillrace(['worker', ...args], { env: env() });
const run = (...args: string[]) =>
  startCommand(['run', join(directory, 'routed.yaml'), '--input', 'go', ...args], env());

it('keeps a node waiting for workers of its queue, and reports that there are none', async () => {
  const local = work();
  await local.says(/Working on runs/);
  const running = run();

  await running.says(/Far waits in the queue gpu, which no worker serves/);
  const { stdout } = await command(['doctor', '--json'], env());
  const findings: readonly Finding[] = JSON.parse(stdout);
  expect(findings.find(({ subject }) => subject === 'queue gpu')).toEqual({
    level: 'weak',
    subject: 'queue gpu',
    message: '1 waiting, 0 at work, 0 workers: nobody takes what waits there',
    cure: 'millrace worker --queues gpu',
  });

  const remote = work('--queues', 'gpu');
  expect((await running.ended).stdout).toBe('remote\n');
  for (const worker of [local, remote]) worker.signal('SIGTERM');
  await Promise.all([local.ended, remote.ended]);
});

it('serves all queues when it is alone', async () => {
  const { code, stdout } = await run('--priority', '7').ended;

  expect([code, stdout]).toEqual([0, 'remote\n']);
});

it('reports invalid names of queues', async () => {
  const { code, stderr } = await command(['worker', '--queues', 'a,b c'], env());

  expect(code).toBe(2);
  expect(stderr).toContain('Give names of queues with commas between, or * for all.');
});
