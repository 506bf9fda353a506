// Says in one sentence that there is no Redis for the tests, before anything slow begins.
import { runFromSources } from '../processes/from-sources.mjs';

await runFromSources('/test/support/redis/ensure-redis.ts');
