import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from '../../support/processes/command.ts';
import { freePort } from '../../support/redis/free-port.ts';
import { startRedis } from '../../support/redis/redis.ts';

it('reports that Redis does not answer, without the password, and continues to try', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-slow-'));
  const redis = await startRedis();
  const port = await freePort();
  const listing = startCommand(['runs'], { REDIS_URL: `redis://:s3cret@127.0.0.1:${port}`, MILLRACE_DIR: directory });
  await listing.says(/Redis does not answer at redis:\/\/127\.0\.0\.1:\d+ so far\. Still trying\./);

  const late = createServer((client) => client.pipe(connect(new URL(redis.url).pathname)).pipe(client));
  late.listen(port, '127.0.0.1');
  await once(late, 'listening');
  const { code, stderr } = await listing.ended;
  expect([code, stderr.includes('s3cret')]).toEqual([0, false]);

  late.close();
  await redis.stop();
  await rm(directory, { recursive: true });
});
