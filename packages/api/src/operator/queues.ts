import { RequestError } from '@millrace/core';
import { z } from 'zod';
import type { OperatorContext } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { QueuePath, QueueState, WorkerState } from './queue.ts';
import { workersOf } from './workers.ts';

const NoBody = z.strictObject({}).nullish();

export const listWorkers = operation({
  name: 'workers.list',
  method: 'GET',
  path: '/v1/workers',
  scope: 'operator',
  summary: 'The connected workers',
  output: z.object({ data: z.array(WorkerState) }),
  async run({ installation: { admin }, promptly }) {
    return { body: { data: [...(admin === undefined ? [] : await promptly(workersOf(admin)))] } };
  },
});

export const listQueues = operation({
  name: 'queues.list',
  method: 'GET',
  path: '/v1/queues',
  scope: 'operator',
  summary: 'The state of the queues',
  output: z.object({ data: z.array(QueueState) }),
  async run({ installation: { admin }, promptly }) {
    const queues = admin === undefined ? [] : await promptly(admin.queueAdmin.statuses());
    return { body: { data: [...queues] } };
  },
});

export const pauseQueue = operation({
  name: 'queues.pause',
  method: 'POST',
  path: '/v1/queues/:queue/pause',
  cli: 'queues pause <queue>',
  scope: 'operator',
  summary: 'Pause a queue; active work continues',
  params: QueuePath,
  body: NoBody,
  output: QueueState,
  needs: 'redis',
  run: (context, { queue }) => ordered(context, 'pause', queue),
});

export const resumeQueue = operation({
  name: 'queues.resume',
  method: 'POST',
  path: '/v1/queues/:queue/resume',
  cli: 'queues resume <queue>',
  scope: 'operator',
  summary: 'Resume a queue',
  params: QueuePath,
  body: NoBody,
  output: QueueState,
  needs: 'redis',
  run: (context, { queue }) => ordered(context, 'resume', queue),
});

async function ordered({ installation: { admin } }: OperatorContext, order: 'pause' | 'resume', queue: string) {
  const known = await admin?.queueAdmin[order](queue);
  const state = (await admin?.queueAdmin.statuses())?.find(({ name }) => name === queue);
  if (known === true && state !== undefined) return { body: state };
  throw new RequestError('QUEUE_UNKNOWN', `There is no queue ${queue}. GET /v1/queues lists them.`);
}
