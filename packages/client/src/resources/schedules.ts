import type { Client, OperationInput, PageOptions, RequestOptions } from '../client.ts';
import type {
  NewSchedule,
  NextTimes,
  Run,
  Schedule,
  ScheduleChange,
  ScheduleState,
  ScheduleTick,
} from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Schedules, which start runs at certain times. */
export interface SchedulesResource {
  create(wanted: NewSchedule, options?: RequestOptions): Promise<Schedule>;
  get(id: string, options?: RequestOptions): Promise<ScheduleState>;
  list(options?: PageOptions): Pages<Schedule>;
  /** Changes some properties of a schedule, such as `{ paused: true }`. */
  change(id: string, change: ScheduleChange, options?: RequestOptions): Promise<Schedule>;
  remove(id: string, options?: RequestOptions): Promise<Schedule>;
  /** Starts a run of a schedule now. */
  trigger(id: string, options?: RequestOptions): Promise<Run>;
  /** Lists the last 200 times of a schedule with their outcomes, newest first. */
  ticks(id: string, options?: PageOptions): Pages<ScheduleTick>;
  /** Returns the next five times of a cron expression, and the expression in words. */
  preview(times: OperationInput<'schedules.preview'>, options?: RequestOptions): Promise<NextTimes>;
}

/** Returns the methods of schedules. */
export const createSchedulesResource = (client: Client): SchedulesResource => ({
  create: (wanted, options) => client.call('schedules.create', wanted, options),
  get: (id, options) => client.call('schedules.get', { id }, options),
  list: ({ limit, ...options } = {}) => pagesOf((cursor) => client.call('schedules.list', { cursor, limit }, options)),
  change: (id, change, options) => client.call('schedules.change', { id, ...change }, options),
  remove: (id, options) => client.call('schedules.delete', { id }, options),
  trigger: (id, options) => client.call('schedules.trigger', { id }, options),
  ticks: (id, { limit, ...options } = {}) =>
    pagesOf((cursor) => client.call('schedules.ticks', { id, limit, cursor }, options)),
  preview: (times, options) => client.call('schedules.preview', times, options),
});
