import type { ConfigProblem, Host, Message, SignalFilter } from '@millrace/core';
import {
  completed,
  defineNode,
  fieldText,
  isSignalTimeout,
  mergeVariables,
  NodeError,
  singleLine,
  textMessage,
  withVariables,
} from '@millrace/core';
import { z } from 'zod';
import { durationExamples, parseWaitTime } from './delay.ts';

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'Write a value, or a list of values.',
});
const named = { error: 'Write the name of the event, such as `event: paid`.' };

/** Configuration of a `wait_for` node. */
export const WaitForConfig = z.object({
  event: z
    .string(named)
    .min(1, named)
    .max(200, named)
    .regex(singleLine)
    .describe('Name of the signal that it waits for.'),
  filter: z
    .record(z.string(), z.union([Value, z.array(Value)]), { error: 'Write a mapping of paths to values.' })
    .transform(textsOf)
    .nullish()
    .describe(
      'Values that the data of the event must have, by their paths, such as `order.id: 17`; with a list, one of these values. They are compared as text.',
    ),
  timeout: z
    .string({ error: `Write ${durationExamples}.` })
    .regex(singleLine)
    .nullish()
    .describe('How long it waits for the event: 500ms, 90s, 30m, 2h or 7d; without an end when left out.'),
  on_timeout: z
    .enum(['fail', 'continue'], { error: 'Write `fail` or `continue`.' })
    .default('fail')
    .describe('At the end of timeout: fail, or continue with its input as the output.'),
});
type Config = z.infer<typeof WaitForConfig>;

/** The end of a wait as conditions of the type `branch` see it. */
const branches = { event: 'event', timeout: 'timeout' } as const;

/** Waits for an event from outside, whose data is its output. */
export const waitFor = defineNode({
  type: 'wait_for',
  summary: 'Waits for an event from outside, without occupying a worker, and outputs its data.',
  config: WaitForConfig,
  traits: { waits: true },
  templates: ['filter', 'timeout'],
  check: problemsOf,
  awaits: ({ event, filter }) => ({ event, paths: Object.keys(filter ?? {}) }),
  branches: ({ timeout }) => (timeout ? Object.values(branches) : [branches.event]),
  execute(config, input, host) {
    const { answer } = host;
    if (answer === undefined) return { type: 'suspended', wait: waitOf(config, host) };
    const isTimeout = isSignalTimeout(answer);
    if (isTimeout && config.on_timeout === 'fail')
      throw new NodeError(
        'WAIT_TIMEOUT',
        `Node "${host.node}" has waited ${config.timeout} for the event "${config.event}", and it has not arrived. Send it earlier, extend \`timeout\`, or set \`on_timeout: continue\`.`,
      );
    const result = isTimeout
      ? marked(input.at(-1) ?? textMessage('user', '', host.node), branches.timeout)
      : marked({ ...answer, source: host.node }, branches.event);
    return completed([withVariables(result, mergeVariables(input))]);
  },
});

function waitOf({ event: name, filter, timeout }: Config, host: Host) {
  const timeoutMs = timeout ? parseWaitTime(timeout) : undefined;
  if (timeout && timeoutMs === undefined)
    throw new NodeError(
      'TIME_INVALID',
      `Node "${host.node}" is to wait for "${timeout}". Give it ${durationExamples}.`,
    );
  for (const value of Object.values(filter ?? {}).flat())
    if (value.includes('{{'))
      throw new NodeError(
        'FILTER_INVALID',
        `Node "${host.node}" filters the event "${name}" by "${value}", which has no value. Set the variable in a node before it.`,
      );
  const until = timeoutMs === undefined ? {} : { until: host.now() + timeoutMs };
  const event = { name, filter: filter ?? {}, ...until };
  return { kind: 'event' as const, prompt: `Waits for the event "${name}".`, input: '', event };
}

const marked = (message: Message, branch: string): Message => ({
  ...message,
  metadata: { ...message.metadata, branch },
});

function textsOf(filter: Readonly<Record<string, unknown>>): SignalFilter {
  const texts = Object.entries(filter).map(([path, value]): [string, string[]] => [
    path,
    [value].flat().flatMap((one) => fieldText(one) ?? []),
  ]);
  return Object.fromEntries(texts);
}

function problemsOf({ event, timeout, on_timeout: onTimeout }: Config): readonly ConfigProblem[] {
  const problem = (field: string, message: string) =>
    ({ code: 'E_FIELD_INVALID', severity: 'error', path: [field], message }) as const;
  const isUnreadable = timeout && !timeout.includes('{{') && parseWaitTime(timeout) === undefined;
  return [
    ...(event.includes('{{')
      ? [problem('event', 'The name of an event contains no variables of messages. Use them in `filter`.')]
      : []),
    ...(isUnreadable ? [problem('timeout', `"${timeout}" is not ${durationExamples}.`)] : []),
    ...(onTimeout === 'continue' && !timeout
      ? [problem('on_timeout', 'Without `timeout` the wait has no end, so "on_timeout" has no effect.')]
      : []),
  ];
}
