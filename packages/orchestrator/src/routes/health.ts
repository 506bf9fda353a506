import { setTimeout as pause } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { problems } from '../contracts/problem.ts';
import type { Server } from '../server.ts';

const patienceMs = 2000;

/** Whether the process is alive, and whether it can do its work. */
export function addHealthRoutes(server: Server, { runtime }: Api): void {
  server.get(
    '/healthz',
    { schema: { summary: 'Is the process alive?', response: { 200: z.object({ status: z.literal('ok') }) } } },
    async () => ({ status: 'ok' as const }),
  );
  server.get(
    '/readyz',
    {
      schema: {
        summary: 'Does Redis answer?',
        response: { 200: z.object({ status: z.literal('ready'), workers: z.number().int() }), ...problems },
      },
    },
    async () => {
      const workers = await Promise.race([
        runtime.queue.consumers().catch(() => undefined),
        pause(patienceMs, undefined, { ref: false }),
      ]);
      if (workers === undefined) throw new RequestError('NOT_READY', 'Redis does not answer at the moment.');
      return { status: 'ready' as const, workers };
    },
  );
}
