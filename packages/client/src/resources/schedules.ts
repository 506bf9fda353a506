import type { Client } from '../client.ts';
import type { NewSchedule, Run, Schedule, ScheduleChange, ScheduleState } from '../generated/types.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Runs that start by the clock. */
export interface SchedulesResource {
  create(wanted: NewSchedule): Promise<Schedule>;
  get(id: string): Promise<ScheduleState>;
  list(): Pages<Schedule>;
  /** Changes some of it, such as `{ paused: true }`. */
  change(id: string, change: ScheduleChange): Promise<Schedule>;
  remove(id: string): Promise<Schedule>;
  /** Starts a run of it now. */
  trigger(id: string): Promise<Run>;
}

/** Makes the methods of schedules. */
export const createSchedulesResource = (client: Client): SchedulesResource => ({
  create: (wanted) => client.call('schedules.create', wanted),
  get: (id) => client.call('schedules.get', { id }),
  list: () => pagesOf((cursor) => client.call('schedules.list', { cursor })),
  change: (id, change) => client.call('schedules.change', { id, ...change }),
  remove: (id) => client.call('schedules.delete', { id }),
  trigger: (id) => client.call('schedules.trigger', { id }),
});
