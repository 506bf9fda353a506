import type { NewScheduleInput, Run, Schedule, ScheduleChangeInput, ScheduleState } from '@millrace/api';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Runs that start by the clock. */
export interface SchedulesResource {
  create(wanted: NewScheduleInput): Promise<Schedule>;
  get(id: string): Promise<ScheduleState>;
  list(): Pages<Schedule>;
  /** Changes some of it, such as `{ paused: true }`. */
  change(id: string, change: ScheduleChangeInput): Promise<Schedule>;
  remove(id: string): Promise<Schedule>;
  /** Starts a run of it now. */
  trigger(id: string): Promise<Run>;
}

/** The schedules of a tenant. */
export function createSchedulesResource(http: Http): SchedulesResource {
  const at = (id: string): string => `v1/schedules/${encodeURIComponent(id)}`;
  return {
    create: (wanted) => http.json('v1/schedules', { method: 'POST', json: wanted }),
    get: (id) => http.json(at(id)),
    list: () => pagesOf((cursor) => http.json<Page<Schedule>>('v1/schedules', { query: { cursor } })),
    change: (id, change) => http.json(at(id), { method: 'PATCH', json: change }),
    remove: (id) => http.json(at(id), { method: 'DELETE' }),
    trigger: (id) => http.json(`${at(id)}/trigger`, { method: 'POST' }),
  };
}
