import type { ConfigProblem, Host } from '@millrace/core';
import { completed, defineNode, NodeError, parseDuration, singleLine, Timestamp, textMessage } from '@millrace/core';
import { z } from 'zod';

const longestMs = 3650 * 24 * 3_600_000;

/** Example of a duration, for messages. */
export const durationExamples = 'a duration such as 90s, 30m, 2h or 7d, of at most 3650d';

/** Parses the length of a wait such as `90s`; returns milliseconds, or undefined for another text and for a longer wait. */
export function parseWaitTime(text: string): number | undefined {
  const durationMs = parseDuration(text.trim());
  return durationMs !== undefined && durationMs <= longestMs ? durationMs : undefined;
}

const pattern = /^(\d{4}-\d\d-\d\d)(?:[Tt ]+(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?([Zz]|[-+]\d\d:\d\d))?)?$/;

/**
 * Parses a date or a time of ISO 8601, as YAML writes it, too; without an offset it is in UTC. Returns milliseconds
 * since 1970, or undefined if the text is none.
 */
export function parseTime(text: string): number | undefined {
  const [, day, time = '00:00:00', offset = 'Z'] = pattern.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  // `Date` turns the 31st of a short month into the 1st of the next one.
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const at = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  return Number.isNaN(at) ? undefined : at;
}

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
  traits: { passesData: true },
  templates: ['for', 'until'],
  check: problemsOf,
  async execute(config, input, host) {
    const restMs = await restOf(config, host);
    if (restMs > 0) return { type: 'postponed', until: host.now() + restMs };
    return completed(input.length === 0 ? [textMessage('user', '', host.node)] : input);
  },
});

/**
 * Returns the rest of the wait, in milliseconds. The end of a duration is journaled, so every attempt has the same one, by the
 * clock of the run: a fork or a resumption waits for the rest.
 */
async function restOf({ for: duration, until }: Config, host: Host): Promise<number> {
  const time = duration ?? until ?? '';
  const length = duration ? parseWaitTime(duration) : undefined;
  const end =
    length === undefined ? undefined : await host.step('delay', time, async () => host.runTime() + length, 'none');
  if (end !== undefined) return end - host.runTime();
  const at = duration ? undefined : parseTime(time);
  if (at !== undefined) return at - host.now();
  const expected = duration ? `${durationExamples}` : timeExamples;
  throw new NodeError('TIME_INVALID', `Node "${host.node}" is to wait for "${time}". Give it ${expected}.`);
}

function problemsOf({ for: duration, until }: Config): readonly ConfigProblem[] {
  if (!duration === !until) {
    const message = 'Write either "for" or "until".';
    return [{ code: 'E_FIELD_INVALID', severity: 'error', path: until ? ['until'] : [], message }];
  }
  const [field, text, parse, expected] = duration
    ? (['for', duration, parseWaitTime, durationExamples] as const)
    : (['until', until ?? '', parseTime, timeExamples] as const);
  // A variable of a message gets its value when the node is executed.
  if (text.includes('{{') || parse(text) !== undefined) return [];
  return [{ code: 'E_FIELD_INVALID', severity: 'error', path: [field], message: `"${text}" is not ${expected}.` }];
}
