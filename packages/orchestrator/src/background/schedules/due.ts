import type { Schedule } from '@millrace/runtime';
import { ticksBetween } from '@millrace/runtime';

/** How late a run may start without its time having been missed, in milliseconds. */
const lateMs = 60_000;
/** Missed times that are made up for at most. */
const maxMissedTicks = 100;

/**
 * The times at which runs are to start, now that a schedule is told of the time `at`: that one, and those after it that
 * have come meanwhile. Of some of these it may be told as well.
 */
export function dueTicks(schedule: Schedule, at: number, clock: number): readonly number[] {
  // Clocks differ by a little: whoever tells of a time says that it has come.
  const now = Math.max(at, clock);
  const late = now - lateMs;
  const inTime = ticksBetween(schedule, { from: Math.max(at, late), to: now, limit: lateMs / 1000 });
  if (at >= late || schedule.missed === 'skip' || (schedule.missed === 'once' && inTime.length > 0)) return inTime;
  const limit = schedule.missed === 'once' ? 1 : maxMissedTicks;
  return [...ticksBetween(schedule, { from: at, to: late - 1, limit }), ...inTime];
}
