import type { Rates } from '../../ports/rates.ts';
import { readScript, runScript } from './commands/script.ts';
import type { Shard } from './connection/shard.ts';

// The same path from src and from dist: the compiler leaves files that are not its own where they are.
const script = readScript(new URL('../../../src/adapters/redis/rate-limit.lua', import.meta.url));

/** Creates the rate limits of models in Redis, by its clock. */
export function createRedisRates({ connection, keys: { rate } }: Shard): Rates {
  async function run(model: string, args: readonly (string | number)[]): Promise<readonly [number, string | number]> {
    const keys = [rate(model), `${rate(model)}:log`, `${rate(model)}:waiting`];
    // Type of the script's reply.
    return (await runScript(connection, script, { keys, args })) as [number, string | number];
  }
  return {
    async acquire(model, { who, tokens, requestsPerMinute = 0, tokensPerMinute = 0 }) {
      const [ms, rest] = await run(model, ['reserve', who, tokens, requestsPerMinute, tokensPerMinute]);
      return ms === 0 ? { type: 'go', receipt: String(rest) } : { type: 'wait', ms, waiting: Number(rest) };
    },
    async correct(model, receipt, tokens) {
      await run(model, ['correct', receipt, tokens]);
    },
    async release(model, receipt) {
      await run(model, ['release', receipt]);
    },
    async learn(model, { retryAfterMs = 0, requestsPerMinute = 0, tokensPerMinute = 0 }) {
      await run(model, ['learn', Math.ceil(retryAfterMs), requestsPerMinute, tokensPerMinute]);
    },
  };
}
