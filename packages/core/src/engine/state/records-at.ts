import type { RecordKey } from '../records/keys.ts';
import type { RecordOf } from '../records/records.ts';
import type { StateView } from './state.ts';

/*
 * The events of the history of a fork have the time of the fork. So have the records that a fork takes over: it begins at that time,
 * whenever the other run did what they tell of. The times of alarms and waits are in the events themselves.
 */

/** Yields those records of a state that contain times of events, as they would be had all events happened at this time. */
export function* recordsAt(state: StateView, at: number): Generator<readonly [RecordKey, RecordOf<RecordKey>]> {
  const run = state.get('run');
  if (run !== undefined) {
    const { finishedAt, pausedAt } = run;
    yield [
      'run',
      {
        ...run,
        startedAt: at,
        ...(finishedAt === undefined ? {} : { finishedAt: at }),
        ...(pausedAt === undefined ? {} : { pausedAt: at }),
      },
    ];
  }
  for (const name of state.keys('activation/')) {
    const key = name as `activation/a${number}`; // keys() returns keys with this prefix
    const record = state.get(key);
    if (record !== undefined)
      yield [key, { ...record, readyAt: at, ...(record.startedAt === undefined ? {} : { startedAt: at }) }];
  }
  for (const name of state.keys('termination/')) {
    const key = name as `termination/s${number}/${string}`; // likewise
    const record = state.get(key);
    if (record !== undefined) yield [key, { ...record, startedAt: at, pausedMs: 0 }];
  }
}
