import type { QueuedDelivery } from '@millrace/api';
import type { RunId } from '@millrace/core';
import { textMessage } from '@millrace/core';
import type { StartRequest } from '@millrace/runtime';
import { connect, createOutboundPolicy } from '@millrace/runtime';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startOutboxRelay } from '../../../packages/orchestrator/src/background/outbox-relay.ts';
import { createSealing } from '../../../packages/orchestrator/src/background/webhooks/sealing.ts';
import { startWebhooks } from '../../../packages/orchestrator/src/background/webhooks/start-webhooks.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startWebhookReceiver } from '../../support/http/webhook-receiver.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { takeSnapshot } from '../../support/redis/snapshot.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';

const asking = 'graph:\n  id: asking\n  nodes: [{ id: Ask, type: human, config: { description: Go on? } }]\n';

const installation = newInstallation();
const connection = openBeforeAll(() => connect(installation.url, 'test'));
const receiver = openBeforeAll(() => startWebhookReceiver(() => 200));

/** Processes of the installation: a worker, and a server that delivers. */
interface Processes extends Pick<Stage, 'runtime' | 'vocabulary'> {
  close(): Promise<void>;
}

async function startProcesses(): Promise<Processes> {
  const stage = await openStage({ where: installation.where });
  const { runtime, vocabulary } = stage;
  const queues = runtime.shared?.jobs;
  if (queues === undefined) throw new Error('runs are in Redis here');
  const policy = createOutboundPolicy(['loopback']);
  const webhooks = startWebhooks({
    sources: runtime,
    jobs: queues.open<QueuedDelivery>('webhooks'),
    secretOfWebhook: createSealing(async () => Buffer.from('of a test')),
    reach: () => policy,
  });
  const log = pino({ level: 'silent' });
  const relay = startOutboxRelay({ outbox: runtime.store.outbox, log, handle: (entry) => webhooks.announce(entry) });
  return {
    runtime,
    vocabulary,
    async close() {
      await relay.close();
      await webhooks.close();
      await stage.close();
    },
  };
}

/** Returns the types and ids of the first events that a receiver got. */
async function eventsAt(path: string, count: number) {
  const received = await receiver.until(path, count);
  return received.map(({ headers, body }) => {
    const { id, type } = JSON.parse(body) as { id: string; type: string }; // CloudEvents
    expect(headers['webhook-id']).toBe(id);
    return { type: type.replace('dev.millrace.', ''), id };
  });
}

async function begin({ runtime, vocabulary }: Processes, run: RunId, more: Partial<StartRequest> = {}): Promise<void> {
  const workflow = workflowIn(asking, vocabulary);
  await runtime.runs.start({ workflow, input: 'x', run, webhook: { url: `${receiver.url}/${run}` }, ...more });
}

const answer = ({ runtime }: Processes, run: RunId) =>
  runtime.runs.answer(run, undefined, { message: textMessage('user', 'Yes.', 'Ask') });

/** Returns the position of the end of a run in its journal. */
async function endIn({ runtime }: Processes, run: RunId): Promise<string | undefined> {
  const journal = await runtime.store.journal(run, '0', 1000);
  return journal.findLast(({ event }) => event.type === 'run.finished')?.id;
}

it('gives an event of a run the id that it had before a backup was restored, at whatever position it is', async () => {
  const before = await startProcesses();
  await begin(before, 'restored');
  await eventsAt('/restored', 1);
  const backup = await takeSnapshot(connection, installation.prefix);
  await answer(before, 'restored');
  const [, first] = await eventsAt('/restored', 2);
  const position = await endIn(before, 'restored');
  await before.close();

  await backup.restore();
  const after = await startProcesses();
  await after.runtime.runs.control('restored', 'pause');
  await after.runtime.runs.resume('restored');
  await answer(after, 'restored');
  const [, , second] = await eventsAt('/restored', 3);

  expect(second).toEqual(first);
  expect(await endIn(after, 'restored')).not.toBe(position);
  await after.close();
});

it.each<[string, Partial<StartRequest>]>([
  ['job', { startedBy: { type: 'intake', of: 'order-17' } }],
  ['schedule', { startedBy: { type: 'schedule', of: 'nightly' } }],
  ['row', { batch: { batch: 'b', making: '0c8f5ad31b2e', row: 1 } }],
])('gives a lost run that its %s starts again the ids that it had', async (cause, more) => {
  const processes = await startProcesses();
  const run = `lost-${cause}`;
  const backup = await takeSnapshot(connection, installation.prefix);
  await begin(processes, run, more);
  await eventsAt(`/${run}`, 1);
  await answer(processes, run);
  await eventsAt(`/${run}`, 2);
  await processes.close();
  await backup.restore();
  const after = await startProcesses();
  await begin(after, run, more);
  await eventsAt(`/${run}`, 3);
  await answer(after, run);

  const events = await eventsAt(`/${run}`, 4);

  const ids = (type: string) => events.filter((event) => event.type === type).map(({ id }) => id);
  for (const type of ['task.created', 'run.completed']) expect(new Set(ids(type)).size).toBe(1);
  await after.close();
});

it('never gives two events one id', async () => {
  const processes = await startProcesses();
  const { runs } = processes.runtime;
  const task = [textMessage('user', 'Once more.', 'TASK')];
  await begin(processes, 'often');
  await eventsAt('/often', 1);
  await runs.control('often', 'pause');
  // The same question, with more input, then the end, the same question to a second task, and the end of that.
  await runs.resume('often', task);
  await eventsAt('/often', 2);
  await answer(processes, 'often');
  await eventsAt('/often', 3);
  await runs.resume('often', task);
  await eventsAt('/often', 4);
  await answer(processes, 'often');
  await eventsAt('/often', 5);
  await runs.remove('often');
  // A new run under the id of a removed one.
  await begin(processes, 'often');
  await eventsAt('/often', 6);
  await answer(processes, 'often');

  const events = await eventsAt('/often', 7);

  expect(events.map(({ type }) => type)).toEqual([
    'task.created',
    'task.created',
    'run.completed',
    'task.created',
    'run.completed',
    'task.created',
    'run.completed',
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(7);
  await processes.close();
});
