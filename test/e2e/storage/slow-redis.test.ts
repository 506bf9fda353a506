import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { directoryOfTest } from '../../support/fixtures.ts';
import { startCommand } from '../../support/processes/command.ts';
import { freePort } from '../../support/redis/free-port.ts';
import { startRedis } from '../../support/redis/redis.ts';

it('reports that Redis does not answer, without the password, and continues to try', async () => {
  const directory = directoryOfTest();
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
});
