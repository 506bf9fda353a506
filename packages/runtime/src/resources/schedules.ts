import { isDeepStrictEqual } from 'node:util';
import type { RunId, TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Cron } from '../ports/cron.ts';
import type { Store } from '../ports/store/port.ts';
import { tenantEntries } from './tenant-entries.ts';

/** A series of runs that start by themselves. */
export interface Schedule extends Cron {
  readonly id: string;
  readonly description?: string;
  /** Request that starts a run, as its author wrote it. */
  readonly run: unknown;
  /** Handling of times that passed while no server could start a run. */
  readonly missed: 'skip' | 'once' | 'all';
  /** Handling of a time at which the previous run is still in progress. */
  readonly overlap: 'allow' | 'skip';
  readonly paused: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Outcome of a tick. */
export interface PastTick {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The started run, or the run that prevented the start. */
  readonly run?: RunId;
  readonly outcome: 'started' | 'skipped' | 'failed';
  /** Reason why no run was started. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** The schedules of a tenant. All of these throw RequestError. */
export interface Schedules {
  /** Creates a schedule; creating the same one again returns it. */
  create(schedule: Omit<Schedule, 'createdAt'>): Promise<Schedule>;
  find(id: string): Promise<Schedule>;
  /** In the order of their ids, from behind `after` on (`''`: from the start). */
  list(after: string, limit: number): Promise<readonly Schedule[]>;
  change(id: string, change: Partial<Omit<Schedule, 'id' | 'createdAt'>>): Promise<Schedule>;
  remove(id: string): Promise<Schedule>;
  /** Returns the last tick with an outcome; undefined when there is none. */
  last(id: string): Promise<PastTick | undefined>;
  /** Returns ticks with an outcome, newest first, from behind the time `before` on (undefined: from the newest). */
  ticks(id: string, before: number | undefined, limit: number): Promise<readonly PastTick[]>;
  note(id: string, tick: PastTick): Promise<void>;
}

/** One register for all tenants, so that a new process can read all of them. */
export const scheduleRegister = 'schedules';
/** Outcome of the last tick of each schedule. */
export const pastTicks = 'schedule-ticks';

/** Number of ticks that the history of a schedule keeps. */
const keptTicks = 200;
/** Returns the register of the history of a schedule. */
const historyOf = (series: string): string => `ticks/${series}`;
/** Returns the id of a tick in a history; ids sort by descending time. */
const tickId = (at: number): string => String(999_999_999_999_999 - Math.trunc(at)).padStart(15, '0');

/** The name of a schedule among those of all tenants. */
export const seriesOf = (tenant: TenantId, id: string): string => `${tenant}~${id}`;

/** The inverse of {@link seriesOf}. */
export function scheduleOf(series: string): { readonly tenant: TenantId; readonly id: string } {
  const at = series.indexOf('~');
  return { tenant: series.slice(0, at), id: series.slice(at + 1) };
}

/** Schedules in the registry of a store. */
export function createSchedules({ registry, now }: Pick<Store, 'registry' | 'now'>, tenant: TenantId): Schedules {
  const read = async (id: string): Promise<string> => {
    const json = await registry.read(scheduleRegister, seriesOf(tenant, id));
    if (json === undefined) throw new RequestError('SCHEDULE_UNKNOWN', `There is no schedule ${id}.`);
    return json;
  };
  const find = async (id: string): Promise<Schedule> => parsed(await read(id));
  return {
    find,
    async create(wanted) {
      const schedule: Schedule = { ...wanted, createdAt: now() };
      const json = JSON.stringify(schedule);
      if (await registry.add(scheduleRegister, seriesOf(tenant, schedule.id), json)) return schedule;
      const { createdAt: _then, ...before } = await find(schedule.id);
      if (isDeepStrictEqual(before, JSON.parse(JSON.stringify(wanted)))) return find(schedule.id);
      throw new RequestError('SCHEDULE_EXISTS', `There is a schedule ${schedule.id} already. Change or delete it.`);
    },
    async list(after, limit) {
      const entries = await registry.page(scheduleRegister, seriesOf(tenant, after), limit);
      return entries.filter(({ id }) => scheduleOf(id).tenant === tenant).map(({ json }) => parsed(json));
    },
    async change(id, change) {
      for (;;) {
        const before = await read(id);
        const changed: Schedule = { ...parsed(before), ...change };
        const exchange = { before, after: JSON.stringify(changed) };
        if (await registry.exchange(scheduleRegister, seriesOf(tenant, id), exchange)) return changed;
      }
    },
    async remove(id) {
      const schedule = await find(id);
      await registry.remove(scheduleRegister, seriesOf(tenant, id));
      await registry.remove(pastTicks, seriesOf(tenant, id));
      await registry.trim(historyOf(seriesOf(tenant, id)), 0);
      return schedule;
    },
    async last(id) {
      const json = await registry.read(pastTicks, seriesOf(tenant, id));
      return json === undefined ? undefined : (JSON.parse(json) as PastTick); // written below
    },
    async ticks(id, before, limit) {
      const after = before === undefined ? '' : tickId(before);
      const entries = await registry.page(historyOf(seriesOf(tenant, id)), after, limit);
      return entries.map(({ json }) => JSON.parse(json) as PastTick); // written below
    },
    async note(id, tick) {
      const series = seriesOf(tenant, id);
      const history = historyOf(series);
      await registry.write(pastTicks, series, JSON.stringify(tick));
      await registry.write(history, tickId(tick.at), JSON.stringify(tick));
      await registry.trim(history, keptTicks);
    },
  };
}

/** The schedules of all tenants, or of one. */
export async function* allSchedules(
  { registry }: Pick<Store, 'registry'>,
  tenant?: TenantId,
): AsyncGenerator<{ readonly series: string; readonly schedule: Schedule }> {
  for await (const { id, json } of tenantEntries(registry, scheduleRegister, tenant))
    yield { series: id, schedule: parsed(json) };
}

const parsed = (json: string): Schedule => JSON.parse(json) as Schedule; // written by `create` and `change`
