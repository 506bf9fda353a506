import { ProbeResult as ProbeSchema, problems } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { Probe } from '@millrace/runtime';
import { LruMap } from '@millrace/runtime';
import { z } from 'zod';
import type { RouteContext } from '../context/route-context.ts';
import { withRedisTimeout } from '../context/with-redis-timeout.ts';
import type { Server } from '../http/server.ts';

/** Time limit of a worker for the job of a probe, in milliseconds. */
const checkTimeoutMs = 1000;
const knownForMs = 5000;

const Readiness = z
  .object({
    status: z.literal('ready'),
    workers: z.number().int(),
    probe: ProbeSchema.optional().describe(
      'With `workers=1`: taken: a worker took a job that was just queued; busy: each worker executes as many activations as it may; nobody: no worker is connected.',
    ),
  })
  .meta({ id: 'Readiness' });

const Query = z.object({
  workers: z
    .literal('1')
    .optional()
    .describe('Sends a job through each queue as well: 503 if workers are connected and idle, and none takes it.'),
});

/** Adds the routes that report whether the process is alive, and whether it is ready. */
export function addHealthRoutes(server: Server, { queue, admin, outages, draining }: RouteContext): void {
  server.get(
    '/healthz',
    {
      config: { requiredScope: 'nobody', rateLimit: false },
      schema: { summary: 'Is the process alive?', response: { 200: z.object({ status: z.literal('ok') }) } },
    },
    async () => ({ status: 'ok' as const }),
  );
  // The route requires no key, and each probe is a job, so there is at most one probe in a few seconds.
  const recent = new LruMap<z.infer<typeof Readiness>>({ forMs: knownForMs, limit: 2 });
  const readiness = async () => ({ status: 'ready' as const, workers: await queue.consumers() });
  const probed = async () => {
    const probes = await admin?.queueAdmin.probe(checkTimeoutMs);
    return { ...(await readiness()), ...(probes === undefined ? {} : { probe: readyBy(probes) }) };
  };
  server.get(
    '/readyz',
    {
      config: { requiredScope: 'nobody', rateLimit: false },
      schema: {
        summary: 'Does Redis do its work, and, if asked for, do the workers?',
        querystring: Query,
        response: { 200: Readiness, ...problems },
      },
    },
    async ({ query }) => {
      draining.asked();
      if (draining.isDraining) throw new RequestError('NOT_READY', 'This server is stopping.');
      await outages?.check(checkTimeoutMs);
      return query.workers === undefined
        ? recent.of('redis', () => withRedisTimeout(readiness()))
        : recent.of('workers', () => withRedisTimeout(probed()));
    },
  );
}

/** Returns the result of the probes of all queues. Throws RequestError if a queue is stuck. */
function readyBy(probes: Readonly<Record<string, Probe>>): z.infer<typeof ProbeSchema> {
  const stuck = Object.keys(probes).find((name) => probes[name] === 'idle');
  if (stuck !== undefined) {
    throw new RequestError('NOT_READY', 'Workers are connected and idle, but none of them takes a queued job.');
  }
  const found = Object.values(probes);
  return (['taken', 'busy', 'paused'] as const).find((one) => found.includes(one)) ?? 'nobody';
}
