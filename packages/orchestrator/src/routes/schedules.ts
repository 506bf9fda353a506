import { randomUUID } from 'node:crypto';
import type { Namespace } from '@millrace/runtime';
import { assertCron } from '@millrace/runtime';
import type { Api } from '../api.ts';
import { problems } from '../contracts/problem.ts';
import { Run, runOf } from '../contracts/run.ts';
import {
  lastOf,
  NewSchedule,
  Schedule,
  ScheduleChange,
  ScheduleList,
  ScheduleListQuery,
  SchedulePath,
  ScheduleState,
  scheduleOf,
} from '../contracts/schedule.ts';
import { given } from '../given.ts';
import { requestOf } from '../run-request.ts';
import { startScheduled } from '../schedules/tick.ts';
import type { Server } from '../server.ts';
import { describeKnown } from '../until-idle.ts';

/** Runs that start by themselves. */
export function addScheduleRoutes(server: Server, api: Api): void {
  addReads(server, api);
  addChanges(server, api);
  addTrigger(server, api);
}

const stateOf = async (space: Namespace, id: string, now: number) => ({
  ...scheduleOf(await space.schedules.find(id), now),
  last: lastOf(await space.schedules.last(id)),
});

function addReads(server: Server, { now }: Api): void {
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
    async ({ caller: { space }, query: { limit, cursor = '' } }) => {
      const found = await space.schedules.list(cursor, limit + 1);
      const data = found.slice(0, limit).map((schedule) => scheduleOf(schedule, now()));
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
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
    async ({ caller: { space }, params: { id } }) => stateOf(space, id, now()),
  );
}

function addChanges(server: Server, { vocabulary, webhookReach, schedules, now }: Api): void {
  const check = async (space: Namespace, { run, ...when }: Pick<NewSchedule, 'cron' | 'timezone' | 'run'>) => {
    assertCron(when);
    await requestOf(run, { space, vocabulary, webhookReach });
  };
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
      await check(space, body);
      const { description, ...wanted } = body;
      const schedule = await space.schedules.create({ ...wanted, ...given({ description }) });
      await schedules.follow(space.tenant, schedule);
      return reply.code(201).header('location', `/v1/schedules/${schedule.id}`).send(scheduleOf(schedule, now()));
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
    async ({ caller: { space }, params: { id }, body }) => {
      const { cron, timezone, run } = await space.schedules.find(id);
      await check(space, { cron, timezone, run: ScheduleChange.shape.run.unwrap().parse(run), ...given(body) });
      const schedule = await space.schedules.change(id, given(body));
      await schedules.follow(space.tenant, schedule);
      return scheduleOf(schedule, now());
    },
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
    async ({ caller: { space }, params: { id } }) => {
      const schedule = await space.schedules.remove(id);
      await schedules.drop(space.tenant, id);
      return scheduleOf(schedule, now());
    },
  );
}

function addTrigger(server: Server, { vocabulary, webhookReach }: Api): void {
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
      const schedule = await space.schedules.find(id);
      const wanted = `tick_${id}_${seed ?? randomUUID().replaceAll('-', '')}`;
      const run = await startScheduled(schedule, wanted, { space, vocabulary, webhookReach });
      return reply
        .code(201)
        .header('location', `/v1/runs/${run}`)
        .send(runOf(await describeKnown(space, run)));
    },
  );
}
