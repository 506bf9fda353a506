import type { Client, RequestOptions } from '../client.ts';
import type { NewSchedule, Run, Schedule, ScheduleChange, ScheduleState } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Runs that start by the clock. */
export interface SchedulesResource {
  create(wanted: NewSchedule, options?: RequestOptions): Promise<Schedule>;
  get(id: string, options?: RequestOptions): Promise<ScheduleState>;
  list(options?: RequestOptions): Pages<Schedule>;
  /** Changes some of it, such as `{ paused: true }`. */
  change(id: string, change: ScheduleChange, options?: RequestOptions): Promise<Schedule>;
  remove(id: string, options?: RequestOptions): Promise<Schedule>;
  /** Starts a run of it now. */
  trigger(id: string, options?: RequestOptions): Promise<Run>;
}

/** Makes the methods of schedules. */
export const createSchedulesResource = (client: Client): SchedulesResource => ({
  create: (wanted, options) => client.call('schedules.create', wanted, options),
  get: (id, options) => client.call('schedules.get', { id }, options),
  list: (options) => pagesOf((cursor) => client.call('schedules.list', { cursor }, options)),
  change: (id, change, options) => client.call('schedules.change', { id, ...change }, options),
  remove: (id, options) => client.call('schedules.delete', { id }, options),
  trigger: (id, options) => client.call('schedules.trigger', { id }, options),
});
