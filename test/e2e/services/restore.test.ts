import { copyFile, cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { startS3 } from '../../support/s3/s3-server.ts';
import { waitFor } from '../../support/waiting.ts';

/** Longer than what a run keeps in Redis. */
const long = 'All of this is in the bucket. '.repeat(5000);

const asking = `graph:
  id: asking
  nodes:
    - { id: Ask, type: human, config: { description: Go on? } }
    - { id: Text, type: literal, config: { content: "${long}" } }
    - { id: End, type: passthrough, config: { only_last_message: false } }
  edges:
    - { from: Text, to: Ask }
    - { from: Text, to: End }
    - { from: Ask, to: End }
`;

const waiting = `graph:
  id: waiting
  nodes:
    - { id: Wait, type: delay, config: { for: 2s } }
    - { id: End, type: literal, config: { content: Waited. } }
  edges: [{ from: Wait, to: End }]
`;

const directory = directoryBeforeAll({
  'asking.yaml': asking,
  'waiting.yaml': waiting,
});
const s3 = openBeforeAll(startS3);
const original = openBeforeAll(startRedis);
const restored = openBeforeAll(() => startRedis(['--appendonly', 'no']));

/** Variables of a process that uses this Redis and the objects below this prefix. */
const place = (redis: RedisServer, prefix: string) => ({
  cwd: directory,
  env: { REDIS_URL: redis.url, MILLRACE_DIR: directory, ...s3.variables(prefix) },
});

const directoryOf = (redis: RedisServer): string => dirname(redis.url.replace('unix://', ''));

/** Copies Redis first and then the bucket, as the guide says. */
async function backUp(): Promise<void> {
  const connection = connect(original.url, 'backup');
  await connection.save();
  connection.disconnect();
  await copyFile(join(directoryOf(original), 'dump.rdb'), join(directory, 'dump.rdb'));
  await cp(dirname(s3.fileOf('original/any')), dirname(s3.fileOf('restored/any')), { recursive: true });
}

/** Starts the other Redis with the copy, without an append-only file at first. */
async function restore(): Promise<void> {
  await restored.kill();
  await copyFile(join(directory, 'dump.rdb'), join(directoryOf(restored), 'dump.rdb'));
  await restored.restart();
  const connection = connect(restored.url, 'restore');
  await connection.config('SET', 'appendonly', 'yes');
  connection.disconnect();
}

it('restores an installation from a copy of Redis and of the bucket', async () => {
  const before = place(original, 'original');
  const worker = startMillrace(['worker'], before);
  const run = async (file: string) => {
    const { stdout } = await millrace(['run', file, '--input', 'Go.', '--detach', '--json'], before);
    return (JSON.parse(stdout) as { runId: string }).runId;
  };
  const delayed = await run('waiting.yaml');
  const asked = await run('asking.yaml');
  await waitFor(async () => expect((await millrace(['tasks', '--json'], before)).stdout).toContain(asked));
  await backUp();
  worker.signal('SIGKILL');
  await original.kill();
  await restore();

  const after = place(restored, 'restored');
  const other = startMillrace(['worker'], after);
  expect((await millrace(['answer', asked, 'Yes.'], after)).code).toBe(0);
  const [answered, woken] = await Promise.all([asked, delayed].map((id) => millrace(['watch', id, '--json'], after)));
  other.signal('SIGTERM');
  await other.ended;

  expect(answered?.stdout).toContain(long);
  expect(woken?.stdout).toContain('Waited.');
});
