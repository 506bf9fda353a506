import { z } from 'zod';
import {
  Amount,
  activationPlace,
  eventSchema,
  Failure,
  MessageReference,
  nodeIndex,
  StopReason,
  scope,
  text,
} from './parts.ts';

const held = z.literal(true).optional().describe('It waits for the lock of its workspace.');
const queue = z.string().optional().describe('The queue whose workers are woken; absent: the default queue.');

const wait = z.object({
  kind: z.enum(['human', 'budget', 'event']).describe('`event`: no person is asked; see `event`.'),
  event: z
    .object({
      name: z.string(),
      filter: z.record(z.string(), z.array(z.string())),
      until: z.number().optional().describe('Milliseconds since 1970.'),
    })
    .optional()
    .describe('The signal that it waits for.'),
  prompt: z.string().describe('The question; may be empty.'),
  input: z.string().describe('Input of the node, for the person to read.'),
  memory: z.string().optional(),
});

const route = z.object({
  edge: z.int().describe('Index of the edge in the graph; -1: the context of the node itself.'),
  output: z.int().describe('Index of the output.'),
  dropped: z.literal(true).optional().describe('The processor of the edge dropped the message.'),
  message: MessageReference.optional().describe('The message as delivered; absent where the edge carries no data.'),
});

/** Events of activations of nodes. */
export const activationEvents = [
  eventSchema('activation.ready', 'A node is due.', {
    ...activationPlace,
    scope,
    node: nodeIndex,
    part: z
      .enum(['whole', 'open', 'unit', 'close', 'exit'])
      .describe('All of the work of the node, or which part of a node that contains others.'),
    level: z.int().optional(),
    from: z.string().optional(),
    held,
    stop: StopReason.optional(),
    queue,
  }),
  eventSchema('activation.started', 'A worker executes it; only announced for work that takes a moment.', {
    ...activationPlace,
    attempt: z.int().describe('Number of the attempt, from 1.'),
    worker: z.string().describe('Name of the worker.'),
  }),
  eventSchema('activation.postponed', 'It continues later, and occupies no worker until then.', {
    ...activationPlace,
    until: z.number().describe('Milliseconds since 1970.'),
  }),
  eventSchema('activation.suspended', 'It asks a question, or waits for a signal.', {
    ...activationPlace,
    wait,
    text: text('the question'),
  }),
  eventSchema('activation.answered', 'Its question was answered, or its signal has arrived.', {
    ...activationPlace,
    answer: MessageReference,
    by: z.string().optional().describe('Name of the person who answered, if it is known.'),
    held,
    text: text('the answer'),
  }),
  eventSchema('activation.renewed', 'Its question was withdrawn because it has more input; it asks again.', {
    ...activationPlace,
    held,
  }),
  eventSchema('activation.completed', 'The node has completed.', {
    ...activationPlace,
    outputs: z.array(MessageReference),
    routes: z.array(route).describe('Messages that edges delivered.'),
    state: z.object({ read: z.unknown().optional(), write: z.unknown().optional() }).optional(),
    warnings: z.array(z.string()).optional().describe('Problems that did not change the outcome.'),
    failure: Failure.optional().describe('The failure after which its error policy or an edge continued.'),
    given: z.literal(true).optional().describe('Its output was given to a fork that the run repeats.'),
    late: z.literal(true).optional().describe('Its scope was being stopped already.'),
    remembered: z.record(z.string(), z.number()).optional(),
    text: text('its last output; absent for nodes with `log_output: false`'),
  }),
  eventSchema('activation.opened', 'It has opened a graph or a fan-out, whose result completes the node.', {
    ...activationPlace,
  }),
  eventSchema('activation.admitted', 'It has the lock of its workspace now.', { ...activationPlace }),
  eventSchema('activation.failed', 'It has failed.', { ...activationPlace, error: Failure, text: text('the error') }),
  eventSchema('activation.dropped', 'It was not started because its scope was stopped.', {
    ...activationPlace,
    inner: z.literal(true).optional(),
  }),
  eventSchema('activation.short', 'Its next call does not fit the budget now.', { ...activationPlace, need: Amount }),
  eventSchema('activation.funded', 'The budget has room for its call.', { ...activationPlace }),
] as const;
