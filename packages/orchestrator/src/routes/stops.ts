import {
  problems,
  Run,
  RunPath,
  runOf,
  SignalRun,
  StopRun,
  Terminations,
  terminationsOf,
  unknownRun,
} from '@millrace/api';
import { z } from 'zod';
import type { Server } from '../server.ts';
import { describeKnown } from '../until-idle.ts';

/** Stops from outside, at once or by a signal that a termination waits for, and how near terminations are. */
export function addStopRoutes(server: Server): void {
  server.get(
    '/v1/runs/:id/termination',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'How near a run and its parts are to their terminations',
        params: RunPath,
        response: { 200: Terminations, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => {
      const found = await space.terminations(id);
      if (found === undefined) throw unknownRun(id);
      return terminationsOf(found);
    },
  );
  server.post(
    '/v1/runs/:id/termination/reset',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Let all terminations of a run begin anew, while nothing is at work in it',
        params: RunPath,
        body: z.strictObject({}).nullish(),
        response: { 200: Terminations, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => {
      await space.resetTerminations(id);
      return terminationsOf((await space.terminations(id)) ?? []);
    },
  );
  server.post(
    '/v1/runs/:id/stop',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Stop a run so that it can be resumed',
        params: RunPath,
        body: StopRun,
        response: { 200: Run, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, body }) => {
      const inFlight = body?.mode === 'cancel' ? 'cancel' : 'drain';
      const scope = body?.scope === undefined ? {} : { scope: body.scope };
      await space.stop(id, { note: body?.note ?? 'stopped over HTTP', inFlight, ...scope });
      return runOf(await describeKnown(space, id));
    },
  );
  server.post(
    '/v1/runs/:id/signals/:name',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Send a signal that a termination of the run waits for',
        params: RunPath.extend({ name: z.string().max(200) }),
        body: SignalRun,
        response: { 200: Run, ...problems },
      },
    },
    async ({ caller: { space }, params: { id, name }, body }) => {
      await space.signal(id, body?.note === undefined ? { name } : { name, note: body.note });
      return runOf(await describeKnown(space, id));
    },
  );
}
