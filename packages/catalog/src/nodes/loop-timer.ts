import type { Host, Message } from '@millrace/core';
import { completed, defineNode, textMessage } from '@millrace/core';
import { z } from 'zod';

const millisecondsPer = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 } as const;

/** Configuration of a `loop_timer` node. */
export const LoopTimerConfig = z.object({
  max_duration: z
    .number({ error: 'Write a number, such as `max_duration: 5`.' })
    .positive({ error: 'Write a number above 0.' })
    .default(60)
    .describe('The limit, in the unit of duration_unit, counted from the first trigger.'),
  duration_unit: z
    .enum(['seconds', 'minutes', 'hours'], { error: 'Write `seconds`, `minutes` or `hours`.' })
    .default('seconds')
    .describe('Unit of max_duration: seconds, minutes or hours.'),
  reset_on_emit: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(true)
    .describe(
      'true restarts the clock after each message; false emits at every trigger from the limit on. No effect with passthrough.',
    ),
  message: z
    .string({ error: 'Write the text to emit at the limit.' })
    .nullish()
    .describe('Text at the limit; `Time limit reached (<duration> <unit>)` if omitted or empty.'),
  passthrough: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(false)
    .describe(
      'false emits nothing before the limit. true forwards its input, emits the message once at the limit, and forwards again after it.',
    ),
});

type Config = z.infer<typeof LoopTimerConfig>;

/** State of a timer: its start by the clock of the run for durations, and if it has emitted its message. */
const TimerState = z.object({ startedAt: z.number(), emitted: z.boolean() });
type TimerState = z.infer<typeof TimerState>;

/**
 * Loop guard that measures time when it is triggered and emits a message only after the limit; nothing wakes it in
 * between.
 */
export const loopTimer = defineNode({
  type: 'loop_timer',
  summary: 'Emits nothing, or forwards its input, until a time limit is over, then emits a message.',
  config: LoopTimerConfig,
  traits: { guard: true, state: 'timers' },
  limit: (config) => ({ ms: limitMsOf(config) }),
  execute(config, input, host) {
    const now = host.runTime();
    const state = TimerState.safeParse(host.state).data;
    const current = state ?? { startedAt: now, emitted: false };
    const elapsedMs = now - current.startedAt;
    const reached = elapsedMs >= limitMsOf(config);
    if (!reached || (config.passthrough && current.emitted)) {
      const outputs = config.passthrough ? input : [];
      return state === undefined ? completed(outputs, { read: host.state, write: current }) : completed(outputs);
    }
    const next: TimerState = {
      startedAt: shouldRestart(config, current, host) ? now : current.startedAt,
      emitted: true,
    };
    return completed([limitMessage(config, elapsedMs, host)], { read: host.state, write: next });
  },
});

const limitMsOf = ({ max_duration, duration_unit }: Config): number => max_duration * millisecondsPer[duration_unit];

// The original engine restarts the clock at the first message only, and then emits at every trigger.
const shouldRestart = (config: Config, state: TimerState, host: Host) =>
  config.reset_on_emit && !(host.compat && state.emitted);

function limitMessage(config: Config, elapsedMs: number, host: Host): Message {
  const { max_duration, duration_unit, reset_on_emit, passthrough } = config;
  const text = config.message || `Time limit reached (${floatText(max_duration)} ${duration_unit})`;
  return {
    ...textMessage('assistant', text, host.node),
    metadata: {
      loop_timer: { elapsed_time: elapsedMs / 1000, max_duration, duration_unit, reset_on_emit, passthrough },
    },
  };
}

/** Returns a number as Python prints a float, for the default message: `20.0`, `0.5`, `1e-05`, `1e+16`. */
function floatText(value: number): string {
  const exponential = value < 1e-4 || value >= 1e16;
  if (!exponential) return Number.isInteger(value) ? `${value}.0` : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
