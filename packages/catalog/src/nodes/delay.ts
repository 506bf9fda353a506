import type { ConfigProblem, Host } from '@millrace/core';
import { completed, defineNode, NodeError, singleLine, Timestamp, textMessage } from '@millrace/core';
import { z } from 'zod';
import { durationExamples, parseDuration, parseTime } from '../deadlines/times.ts';

const timeExamples = 'a time such as 2026-12-24T18:00:00Z';

/** Configuration of a `delay` node. */
export const DelayConfig = z.object({
  for: z
    .string({ error: `Write ${durationExamples}.` })
    .regex(singleLine)
    .nullish()
    .describe('How long it waits, from the time at which it starts: 500ms, 90s, 30m, 2h or 7d.'),
  until: z
    .union([z.string().regex(singleLine), z.instanceof(Timestamp).meta({ type: 'string' })], {
      error: `Write ${timeExamples}.`,
    })
    .transform((time) => (time instanceof Timestamp ? time.text : time))
    .nullish()
    .describe('The time until which it waits, such as 2026-12-24T18:00:00Z; in UTC if it has no offset.'),
});
type Config = z.infer<typeof DelayConfig>;

/** Waits for a time on the agenda, and then forwards its input: the very same message objects. */
export const delay = defineNode({
  type: 'delay',
  summary: 'Waits for a duration or until a time, without occupying a worker, and then forwards its input.',
  config: DelayConfig,
  templates: ['for', 'until'],
  check: problemsOf,
  async execute(config, input, host) {
    const until = await endOf(config, host);
    if (host.now() < until) return { type: 'postponed', until };
    return completed(input.length === 0 ? [textMessage('user', '', host.node)] : input);
  },
});

/** Returns the end of the wait. That of a duration is journaled, so every attempt has the same one. */
async function endOf({ for: duration, until }: Config, host: Host): Promise<number> {
  const time = duration ?? until ?? '';
  const length = duration ? parseDuration(duration) : undefined;
  const end = length === undefined ? undefined : await host.step('delay', time, async () => host.now() + length);
  const at = duration ? end : parseTime(time);
  if (at !== undefined) return at;
  const expected = duration ? `${durationExamples}` : timeExamples;
  throw new NodeError('TIME_INVALID', `Node "${host.node}" is to wait for "${time}". Give it ${expected}.`);
}

function problemsOf({ for: duration, until }: Config): readonly ConfigProblem[] {
  if (!duration === !until) {
    const message = 'Write either "for" or "until".';
    return [{ code: 'E_FIELD_INVALID', severity: 'error', path: until ? ['until'] : [], message }];
  }
  const [field, text, parse, expected] = duration
    ? (['for', duration, parseDuration, durationExamples] as const)
    : (['until', until ?? '', parseTime, timeExamples] as const);
  // A variable of a message gets its value when the node is executed.
  if (text.includes('{{') || parse(text) !== undefined) return [];
  return [{ code: 'E_FIELD_INVALID', severity: 'error', path: [field], message: `"${text}" is not ${expected}.` }];
}
