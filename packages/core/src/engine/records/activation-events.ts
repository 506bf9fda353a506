import { z } from 'zod';
import type { ScopeId } from '../../model/ids.ts';
import type { Recorded } from '../../model/recorded.ts';
import {
  Amount,
  AskedCall,
  CallDecision,
  Failure,
  FileChange,
  MessageReference,
  nodeIndex,
  RecordedResult,
  StateWrite,
  scope,
  textAs,
  UnknownRule,
  Usage,
  Wait,
  Warning,
} from '../../model/recorded.ts';
import { activationEvent, text } from './event-definition.ts';
import type { ResultKey } from './keys.ts';
import { StopReason } from './stop.ts';

const token = z.string();
const held = z.literal(true).optional().describe('It waits for the lock of its workspace.');
const step = z.int();

const part = z
  .enum(['whole', 'open', 'unit', 'join', 'close', 'exit'])
  .describe('All of the work of the node, or which part of a node that contains others.');

const route = z.object({
  edge: z.int().describe('Index of the edge in the graph; -1: the context of the node itself.'),
  output: z.int().describe('Index of the output.'),
  dropped: z.literal(true).optional().describe('The processor of the edge dropped the message.'),
  message: MessageReference.optional().describe('The message as delivered; absent where the edge carries no data.'),
});

/**
 * Part of a node's work that an activation does: all of it, opening its graph or fan-out, one unit, joining the results of very many units, or closing; `exit`:
 * all of it, as an exit node of a graph that is being stopped.
 */
export type ActivationPart = Recorded<typeof part>;

/** Effect of one output message on one outgoing edge whose condition held; see route.ts. */
export type Route = Recorded<typeof route>;

const suspension = z.int().optional().describe('Number of the suspension of its activation; absent: it is the first.');

/** Events of activations of nodes. */
export const activationEvents = [
  activationEvent('activation.ready', 'A node is due.', {
    scope,
    node: nodeIndex,
    part,
    token,
    unit: z.int().optional(),
    iteration: z.int().optional().describe('Iteration of the cycle that it is part of; absent outside of cycles.'),
    level: z.int().optional().describe('The level of the cycle at which it is due.'),
    from: textAs<ResultKey>(z.string())
      .optional()
      .describe('List that holds its input, if that is not the inbox of the node.'),
    held,
    stop: StopReason.optional().describe('The reason for which the graph that it closes was stopped.'),
    queue: z.string().optional().describe('The queue whose workers are woken; absent: the default queue.'),
  }),
  activationEvent('activation.started', 'A worker executes it; only announced for work that takes a moment.', {
    attempt: z.int().describe('Number of the attempt, from 1.'),
    worker: z.string().describe('Name of the worker.'),
  }),
  activationEvent('activation.postponed', 'It continues later, and occupies no worker until then.', {
    until: z.number().describe('Milliseconds since 1970.'),
    token,
  }),
  activationEvent(
    'activation.suspended',
    'It asks a question, or waits for a signal.',
    {
      wait: Wait,
      suspension,
    },
    { text: text('the question') },
  ),
  activationEvent(
    'activation.answered',
    'Its question was answered, or its signal has arrived.',
    {
      answer: MessageReference,
      suspension,
      by: z.string().optional().describe('Name of the person who answered, if it is known.'),
      token,
      held,
    },
    { text: text('the answer') },
  ),
  activationEvent(
    'activation.renewed',
    'It continues without an answer: it has more input and asks again, all of its calls have been decided on, or it is in a fork, which asks again. Its open questions are withdrawn.',
    { suspension, token, held },
  ),
  activationEvent('tool.asked', 'A call of a tool waits for the approval of a person.', AskedCall),
  activationEvent('tool.decided', 'A person has decided on a call of a tool, or nobody has in time.', CallDecision),
  activationEvent(
    'activation.completed',
    'The node has completed.',
    {
      outputs: z.array(MessageReference),
      routes: z.array(route).describe('Messages that edges delivered.'),
      state: StateWrite.optional(),
      warnings: z.array(Warning).optional().describe('Problems that did not change the outcome.'),
      failure: Failure.optional().describe('The failure after which its error policy or an edge continued.'),
      given: z.literal(true).optional().describe('Its output was given to a fork that the run repeats.'),
      late: z.literal(true).optional().describe('Its scope was being stopped already.'),
      remembered: z
        .record(z.string(), z.number())
        .optional()
        .describe('Number of its writes to memory stores that live as long as the run.'),
    },
    { text: text('its last output; absent for nodes with `log_output: false`') },
  ),
  activationEvent(
    'activation.opened',
    'It has opened a graph or a fan-out, or joined the units of one; the result of that completes the node.',
    {},
  ),
  activationEvent('activation.admitted', 'It has the lock of its workspace now.', { token }),
  activationEvent('activation.failed', 'It has failed.', { error: Failure }, { text: text('the error') }),
  activationEvent('activation.dropped', 'It was not started because its scope was stopped.', {
    inner: z.literal(true).optional().describe('It belongs to a graph or fan-out that is dropped, too.'),
  }),
  activationEvent('activation.short', 'Its next call does not fit the budget now.', { need: Amount }),
  activationEvent('activation.funded', 'The budget has room for its call.', { token }),
] as const;

const messageId = MessageReference.shape.id;

/** The request of a model call by its content; see asked-request.ts. */
const asked = z
  .object({
    settings: messageId.optional().describe('Message with model, params and so on; absent: as in the call `base`.'),
    tools: z
      .union([z.literal('none'), messageId])
      .optional()
      .describe('Message with the tools; absent: as in the call `base`.'),
    base: step.optional().describe('Call of the activation with which it shares its first messages.'),
    kept: z.int().optional().describe('Number of those messages.'),
    messages: z
      .string()
      .describe('The messages after those, by the ids of messages and the numbers of steps that hold their contents.'),
    texts: z
      .record(z.string(), messageId)
      .optional()
      .describe('New messages that later calls of the node may name, by the hashes of their contents.'),
  })
  .meta({ id: 'AskedRequest' });

/** Events of the calls of an activation, and of the files that it writes. */
export const stepEvents = [
  activationEvent('step.started', 'A call of a model, a tool or a program begins.', {
    step: step.describe('Number of the call in the activation, from 0.'),
    name: z.string().describe('Name of the call, such as `chat gpt-6-sol` or `tool search`.'),
    request: z.string().describe('Hash of the request.'),
    insteadOf: z
      .string()
      .optional()
      .describe('The model that gave no answer, in whose place another one is asked; absent for other calls.'),
    counts: z.record(z.string(), z.number()).optional().describe('New values of the tallies that it raises.'),
    approval: z.string().optional().describe('Hash of the call that a person has approved, which it makes.'),
    refused: z.literal(true).optional().describe('It makes no call: a rule or a person refuses it.'),
    asked: asked
      .optional()
      .describe('The request to a model; absent for other calls, and where requests are not recorded.'),
  }),
  activationEvent(
    'step.completed',
    'The call has returned.',
    {
      step,
      result: MessageReference.shape.id.describe('Id of the message with its result.'),
      usage: Usage.optional(),
      model: z.string().optional().describe('The model that was asked; absent without `usage`.'),
      failed: z.literal(true).optional().describe('The call failed; a retry of the activation makes it again.'),
      charge: Amount.optional().describe('Charge that replaces its reservation in the budget.'),
      recorded: RecordedResult.optional(),
    },
    { text: text('what the model or tool said') },
  ),
  activationEvent(
    'step.unknown',
    'The outcome of a call that must not be made twice is unknown: another attempt has begun it, or it did not answer.',
    {
      step,
      rule: UnknownRule.describe('The rule that decides what follows.'),
      node: z.string().describe('The node: its id, or `<graph>/<node>` in a subgraph.'),
      warning: Warning.describe('The same for people.'),
    },
    { text: text('what is unknown') },
  ),
  activationEvent(
    'step.late',
    'A call that must not be made twice has returned after another result of it counted.',
    {
      step,
      result: MessageReference.shape.id.describe('Id of the message with the result that does not count.'),
      node: z.string().describe('The node: its id, or `<graph>/<node>` in a subgraph.'),
      warning: Warning.describe('The same for people.'),
    },
    { text: text('what came too late') },
  ),
  activationEvent('step.reserved', 'The worst case of the call is reserved in the budget.', {
    step,
    amount: Amount,
    model: z.string().optional().describe('The model that is asked.'),
  }),
  activationEvent('step.lost', 'The outcome of the call will never be known: its reservation counts as spent.', {
    step,
  }),
  activationEvent('files.changed', 'The node wrote into its workspace.', {
    node: z.string().describe('Id of the node.'),
    frame: textAs<ScopeId>(z.string()).describe('Execution of the graph whose workspace has the files.'),
    step: step.optional().describe('The call that changed the files.'),
    files: z.array(FileChange),
  }),
] as const;
