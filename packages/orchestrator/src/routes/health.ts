import { z } from 'zod';
import type { Api } from '../api.ts';
import { problems } from '../contracts/problem.ts';
import type { Server } from '../server.ts';
import { soon } from '../soon.ts';

/** Whether the process is alive, and whether it can do its work. */
export function addHealthRoutes(server: Server, { queue }: Api): void {
  server.get(
    '/healthz',
    {
      config: { demand: 'nobody' },
      schema: { summary: 'Is the process alive?', response: { 200: z.object({ status: z.literal('ok') }) } },
    },
    async () => ({ status: 'ok' as const }),
  );
  server.get(
    '/readyz',
    {
      config: { demand: 'nobody' },
      schema: {
        summary: 'Does Redis answer?',
        response: { 200: z.object({ status: z.literal('ready'), workers: z.number().int() }), ...problems },
      },
    },
    async () => ({ status: 'ready' as const, workers: await soon(queue.consumers()) }),
  );
}
