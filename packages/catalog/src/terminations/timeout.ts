import { defineTermination } from '@millrace/core';
import { z } from 'zod';

const seconds = z.number({ error: 'Write a number of seconds.' }).gt(0, { error: 'Write a number above 0.' });

/** Configuration of a `timeout` condition. */
export const TimeoutConfig = z
  .object({
    seconds: seconds
      .optional()
      .describe('Time after which the condition is satisfied, in seconds, whatever is executing then.'),
    timeout_seconds: seconds.optional().describe('Another spelling of seconds.'),
    count_paused: z
      .boolean({ error: 'Write `true` or `false`.' })
      .default(false)
      .describe('Counts the time during which the run is paused.'),
  })
  .transform(({ seconds: own, timeout_seconds, count_paused }) => ({ seconds: own ?? timeout_seconds, count_paused }))
  .refine((config): config is { seconds: number; count_paused: boolean } => config.seconds !== undefined, {
    error: 'Write how many seconds, such as `seconds: 60`.',
    path: ['seconds'],
  });

/** Condition that measures time by the clock of Redis; an alarm steps it if nothing else happens. */
export const timeout = defineTermination({
  type: 'timeout',
  summary: 'Satisfied after a time, whatever is executing then.',
  config: TimeoutConfig,
  due: ({ seconds: limit, count_paused }) => ({ afterMs: limit * 1000, countsPaused: count_paused }),
  step({ seconds: limit, count_paused }, _state: undefined, { elapsedMs, pausedMs }) {
    const passed = count_paused ? elapsedMs : elapsedMs - pausedMs;
    return passed < limit * 1000 ? { type: 'stepped' } : { type: 'stepped', reason: `timeout: ${limit}s` };
  },
});
