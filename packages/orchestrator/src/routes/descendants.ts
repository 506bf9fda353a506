import { describeKnown, ForkRun, problems, ReplayRun, Run, RunPath, runOf } from '@millrace/api';
import { textMessage } from '@millrace/core';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../caller.ts';
import { given } from '../given.ts';
import type { Server } from '../server.ts';

/** Runs that are made of other runs: replays and forks. */
export function addDescendantRoutes(server: Server): void {
  const response = { 201: Run, ...problems };
  server.post(
    '/v1/runs/:id/replay',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Run a finished run again: models, tools and people are answered from its journal',
        params: RunPath,
        body: ReplayRun,
        response,
      },
    },
    async ({ caller: { space }, params: { id }, body, seed }, reply) => {
      const as = body?.runId ?? seeded(seed);
      return created(reply, space, await space.replay(id, given({ as, liveFrom: body?.liveFrom })));
    },
  );
  server.post(
    '/v1/runs/:id/fork',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Start a run that shares the past of another one, and goes on otherwise',
        params: RunPath,
        body: ForkRun,
        response,
      },
    },
    async ({ caller: { space }, params: { id }, body: { at, output, runId }, seed }, reply) => {
      const edited = output === undefined ? undefined : textMessage('assistant', output, '');
      return created(
        reply,
        space,
        await space.fork(id, { at, ...given({ as: runId ?? seeded(seed), output: edited }) }),
      );
    },
  );
}

const seeded = (seed: string | undefined): string | undefined => (seed === undefined ? undefined : `run_${seed}`);

async function created(reply: FastifyReply, space: Caller['space'], run: string): Promise<Run> {
  reply.code(201).header('location', `/v1/runs/${run}`);
  return runOf(await describeKnown(space, run));
}
