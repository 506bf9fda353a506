import { createVocabulary } from '@millrace/catalog';
import { textMessage } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { Webhook as Signature } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { directoryBeforeEach, openBeforeEach } from '../support/fixtures.ts';
import { ask } from '../support/http/http.ts';
import { startWebhookReceiver } from '../support/http/webhook-receiver.ts';
import type { RunningCommand } from '../support/processes/millrace.ts';
import { startMillrace } from '../support/processes/millrace.ts';
import { startRedis } from '../support/redis/redis.ts';
import { untilEnded } from '../support/runs/watching.ts';
import { waitUntil } from '../support/waiting.ts';

const yaml =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';

const redis = openBeforeEach(startRedis);
const directory = directoryBeforeEach();
const receiver = openBeforeEach(() =>
  startWebhookReceiver((_told, nth) => (nth === 2 ? new Promise(() => undefined) : 200)),
);

function launch(...args: string[]): RunningCommand {
  const env = { REDIS_URL: redis.url, MILLRACE_DIR: directory, MILLRACE_OUTBOUND_ALLOW: 'loopback' };
  const one = startMillrace(args, { env });
  onTestFinished(async () => void (await one.stop('SIGKILL')));
  return one;
}

async function serve(): Promise<{ readonly server: RunningCommand; readonly url: string }> {
  const server = launch('serve', '--port', '0');
  const [, url = ''] = await server.says(/HTTP API is at (\S+)/);
  return { server, url };
}

it('delivers a webhook although all processes die after the last commit, and again after a death during the delivery', async () => {
  const worker = launch('worker');
  await worker.says(/Working on runs/);
  const first = await serve();
  const { body: webhook } = await ask(`${first.url}/v1/webhooks`, { url: `${receiver.url}/hook` });
  await ask(`${first.url}/v1/runs`, { workflow: { yaml }, runId: 'lost' });
  await receiver.until('/hook', 1);
  // Only what the log lists as delivered is not sent again after a crash.
  const log = async () => JSON.stringify((await ask(`${first.url}/v1/webhooks/${webhook['id']}/deliveries`)).body);
  await waitUntil(async () => (await log()).includes('"delivered"'));
  await first.server.stop('SIGKILL');

  // No relay runs when the run ends, and then no process at all.
  const runtime = await openRuntime({ redisUrl: redis.url }, createVocabulary(), () => undefined);
  await runtime.runs.answer('lost', undefined, { message: textMessage('user', 'red', 'Ask') });
  await untilEnded(runtime.runs, 'lost');
  await runtime.close();
  await worker.stop('SIGKILL');

  const second = await serve();
  await receiver.until('/hook', 2);
  await second.server.stop('SIGKILL');
  await serve();
  const [task, , end] = await receiver.until('/hook', 3);

  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
    'dev.millrace.task.created',
    'dev.millrace.run.completed',
    'dev.millrace.run.completed',
  ]);
  expect(end?.body).toBe(receiver.received[1]?.body);
  expect(end?.headers['webhook-id']).toBe(receiver.received[1]?.headers['webhook-id']);
  expect(end?.headers['webhook-id']).not.toBe(task?.headers['webhook-id']);
  // Of each process the same, from what they keep in their directory.
  const headers = end?.headers as Record<string, string>; // of this request all are texts
  expect(() => new Signature(String(webhook['secret'])).verify(end?.body ?? '', headers)).not.toThrow();
});
