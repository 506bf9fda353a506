import { problems, QueuePath, QueueState, WorkerState } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { Oversight } from '@millrace/runtime';
import { z } from 'zod';
import type { Api } from '../api.ts';
import type { Server } from '../server.ts';
import { soon } from '../soon.ts';

/** What people who operate the installation look at and do, whoever its runs belong to. */
export function addOperationRoutes(server: Server, { oversight, metrics }: Api): void {
  addLists(server, oversight);
  addQueueOrders(server, oversight);
  if (metrics === undefined) return;
  server.get(
    '/metrics',
    {
      config: { demand: 'operator' },
      schema: { summary: 'Counters and gauges, as Prometheus reads them', response: { 200: z.string(), ...problems } },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
}

function addLists(server: Server, oversight: Oversight | undefined): void {
  server.get(
    '/v1/workers',
    {
      config: { demand: 'operator' },
      schema: {
        summary: 'The workers that are connected',
        response: { 200: z.object({ data: z.array(WorkerState) }), ...problems },
      },
    },
    async () => ({ data: [...((await soon(workersOf(oversight))) ?? [])] }),
  );
  server.get(
    '/v1/queues',
    {
      config: { demand: 'operator' },
      schema: {
        summary: 'How the queues stand',
        response: { 200: z.object({ data: z.array(QueueState) }), ...problems },
      },
    },
    async () => ({ data: [...((await soon(standsOf(oversight))) ?? [])] }),
  );
}

const workersOf = async (oversight: Oversight | undefined) => oversight?.desk.workers();
const standsOf = async (oversight: Oversight | undefined) => oversight?.desk.stands();

function addQueueOrders(server: Server, oversight: Oversight | undefined): void {
  const orders = {
    pause: 'Hand out no more work of a queue; what is at work goes on',
    resume: 'Hand out the work of a queue again',
  } as const;
  for (const order of ['pause', 'resume'] as const) {
    server.post(
      `/v1/queues/:queue/${order}`,
      {
        config: { demand: 'operator' },
        schema: {
          summary: orders[order],
          params: QueuePath,
          body: z.strictObject({}).nullish(),
          response: { 200: QueueState, ...problems },
        },
      },
      async ({ params: { queue } }) => {
        const known = await oversight?.desk[order](queue);
        const stand = (await oversight?.desk.stands())?.find(({ name }) => name === queue);
        if (known !== true || stand === undefined) throw unknownQueue(queue);
        return stand;
      },
    );
  }
}

const unknownQueue = (name: string): RequestError =>
  new RequestError('QUEUE_UNKNOWN', `There is no queue ${name}. GET /v1/queues lists them.`);
