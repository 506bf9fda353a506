import { createVocabulary } from '@millrace/catalog';
import { startOrchestrator } from '@millrace/orchestrator';
import { openRuntime } from '@millrace/runtime';
import pino from 'pino';

/*
 * A server process of the benchmark. It says its address, and then its processor time in microseconds each time it is asked.
 * Its runs are executed by no worker.
 */

const send = (message: string | number) => void process.send?.(message);
const log = pino({ level: 'warn' }, process.stderr);

const [, , redisUrl = ''] = process.argv;
const vocabulary = createVocabulary();
const runtime = await openRuntime({ redisUrl, prefix: '{bench-http}' }, vocabulary, (message, error) =>
  log.error({ err: error }, message),
);
const { url } = await startOrchestrator({
  runtime,
  vocabulary,
  port: 0,
  log,
  secret: async () => Buffer.alloc(32),
  httpLimits: { requestsPerMinute: 1_000_000 },
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  send(user + system);
});
process.on('disconnect', () => process.exit(0));
send(url);
