import {
  NewSchedule,
  problems,
  Run,
  Schedule,
  ScheduleChange,
  ScheduleList,
  ScheduleListQuery,
  SchedulePath,
  ScheduleState,
} from '@millrace/api';
import type { Api } from '../api.ts';
import { scheduleDesk } from '../schedules/schedule-desk.ts';
import type { Server } from '../server.ts';

/** Runs that start by themselves. */
export function addScheduleRoutes(server: Server, api: Api): void {
  addReads(server, api);
  addChanges(server, api);
}

function addReads(server: Server, api: Api): void {
  server.get(
    '/v1/schedules',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The schedules of the tenant',
        querystring: ScheduleListQuery,
        response: { 200: ScheduleList, ...problems },
      },
    },
    async ({ caller: { space }, query }) => scheduleDesk(space, api).list(query),
  );
  server.get(
    '/v1/schedules/:id',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'A schedule, and what became of its last time',
        params: SchedulePath,
        response: { 200: ScheduleState, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => scheduleDesk(space, api).get(id),
  );
}

function addChanges(server: Server, api: Api): void {
  server.post(
    '/v1/schedules',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Start runs by themselves, again and again',
        body: NewSchedule,
        response: { 201: Schedule, ...problems },
      },
    },
    async ({ caller: { space }, body }, reply) => {
      const schedule = await scheduleDesk(space, api).create(body);
      return reply.code(201).header('location', `/v1/schedules/${schedule.id}`).send(schedule);
    },
  );
  server.patch(
    '/v1/schedules/:id',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Change, pause or resume a schedule',
        params: SchedulePath,
        body: ScheduleChange,
        response: { 200: Schedule, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, body }) => scheduleDesk(space, api).change(id, body),
  );
  server.delete(
    '/v1/schedules/:id',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Delete a schedule; its runs go on',
        params: SchedulePath,
        response: { 200: Schedule, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => scheduleDesk(space, api).remove(id),
  );
  server.post(
    '/v1/schedules/:id/trigger',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Start what a schedule starts now',
        params: SchedulePath,
        response: { 201: Run, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, seed }, reply) => {
      const run = await scheduleDesk(space, api).trigger(id, seed);
      return reply.code(201).header('location', `/v1/runs/${run.runId}`).send(run);
    },
  );
}
