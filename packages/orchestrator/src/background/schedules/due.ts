import type { Schedule } from '@millrace/runtime';
import { ticksBetween } from '@millrace/runtime';

/** Delay of a run up to which its time does not count as missed, in milliseconds. */
const lateMs = 60_000;
/** Maximum number of missed times that are caught up. */
const maxMissedTicks = 100;

/**
 * Returns the times at which runs start when a schedule receives the tick of the time `at`: that time, and later ones
 * that have passed meanwhile. Some of these may also arrive as ticks of their own.
 */
export function dueTicks(schedule: Schedule, at: number, clock: number): readonly number[] {
  // Clocks differ a little; the tick proves that its time has come.
  const now = Math.max(at, clock);
  const late = now - lateMs;
  const inTime = ticksBetween(schedule, { from: Math.max(at, late), to: now, limit: lateMs / 1000 });
  if (at >= late || schedule.missed === 'skip' || (schedule.missed === 'once' && inTime.length > 0)) return inTime;
  const limit = schedule.missed === 'once' ? 1 : maxMissedTicks;
  return [...ticksBetween(schedule, { from: at, to: late - 1, limit }), ...inTime];
}
