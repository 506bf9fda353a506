import type { Command } from 'commander';
import { provideRedisOfMachine } from '../../client/find-redis.ts';
import { assertLocal } from '../../client/session.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace redis-url`: prints the URL of the Redis that commands use. */
export function addRedisUrl(program: Command, cli: Cli): void {
  program
    .command('redis-url')
    .description('print the URL of the Redis that commands use, with its password, for other programs')
    .option('--json', 'print {url}')
    .addHelpText('after', '\nExample:\n  export REDIS_URL=$(millrace redis-url)')
    .action(async ({ json }: { json?: boolean }) => printUrl(cli, json === true));
}

async function printUrl(cli: Cli, json: boolean): Promise<void> {
  await assertLocal(cli, 'redis-url');
  const redis = await provideRedisOfMachine(cli);
  cli.terminal.data(json ? JSON.stringify({ url: redis.url }) : redis.url);
  if (!redis.usedByOthers()) {
    cli.terminal.say('This Redis stops now, because no other command uses it; `millrace up` keeps it running.');
  }
  await redis.release();
}
