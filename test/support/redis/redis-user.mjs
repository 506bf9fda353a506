// A process that uses the Redis of a folder: prints its address, and lets go of it when its input ends.
// The module alone: whoever starts many of these processes waits for the imports of each.
import { provideRedis } from '../../../packages/runtime/dist/adapters/redis-server/provide-redis.js';

const redis = await provideRedis({ directory: process.argv[2], report: () => {} });
process.stdout.write(`${redis.url}\n`);
process.stdin.resume();
process.stdin.once('end', async () => {
  await redis.release();
  process.exit(0);
});
