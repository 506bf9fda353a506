import { z } from 'zod';
import {
  Amount,
  activation,
  activationPlace,
  Budget,
  eventSchema,
  Failure,
  fileChanges,
  inFlight,
  MessageReference,
  nodeIndex,
  StopReason,
  text,
} from './parts.ts';

const at = z.number().describe('Milliseconds since 1970.');
const alarm = z.string().describe('Purpose of the alarm, such as `alarm/timeout`.');
const runError = Failure.extend({
  activation: activation.optional(),
  node: z.string().optional().describe('Id of the node.'),
});
const journalPart = {
  digest: z.string().describe('SHA-256 of the blob.'),
  messages: z.number().describe('Number of the last message in it.'),
};

const replay = z.object({
  run: z.string(),
  journal: z.array(z.object(journalPart)),
  liveFrom: z.string().optional(),
});
const definition = z
  .object({ hash: z.string(), vars: z.record(z.string(), z.unknown()).optional() })
  .describe('The text of its workflow, and values for its variables without secrets.');

const origin = z.object({
  workflow: z.string().describe('Name of the workflow in lists of runs.'),
  title: z.string().optional().describe('First line of the task, at most 120 characters.'),
  tags: z.array(z.string()).optional(),
  priority: z.number().optional(),
  trace: z.string().optional().describe('W3C `traceparent` of the request that started it.'),
  replay: replay.optional().describe('The run that it replays.'),
  told: z.literal(true).optional().describe('Webhooks are notified of it.'),
  webhook: z
    .object({ url: z.string(), events: z.array(z.string()).optional() })
    .optional()
    .describe('Its own webhook.'),
  batch: z
    .object({ batch: z.string(), making: z.string(), row: z.number() })
    .optional()
    .describe('Its row of a batch.'),
  fork: z.object({ run: z.string(), activation: z.string() }).optional(),
  definition: definition.optional(),
  startedBy: z
    .object({ type: z.enum(['schedule', 'intake', 'mcp']), of: z.string() })
    .optional()
    .describe('Absent for a request of a caller.'),
});

/** Events of a run as a whole. */
export const runEvents = [
  eventSchema('run.started', 'The run was started.', {
    plan: z.string().describe('Hash of the workflow.'),
    origin,
    timeoutMs: z.number().optional(),
    budget: Budget.optional(),
    text: text('the title of the run'),
  }),
  eventSchema('run.failing', 'An error ends the run: active work may finish, and nothing new is started.', {
    error: runError,
    inFlight: z.literal('cancel').optional().describe('Active work is cancelled.'),
    text: text('the error'),
  }),
  eventSchema('run.stopping', 'The run is being stopped.', { stop: StopReason, inFlight, text: text('the reason') }),
  eventSchema('run.paused', 'The run was paused: nothing new is started.', {}),
  eventSchema('run.resumed', 'The run continues from where it was paused, stopped or failed.', {
    segment: z.number().describe('Number of the part of the run that begins here.'),
  }),
  eventSchema(
    'run.forked',
    'The events before this one are the history of another run; the run continues on its own.',
    {
      ...activationPlace,
      of: z.string().describe('Id of the other run.'),
      until: at,
      output: MessageReference.optional().describe('Output that replaces the execution of the activation.'),
      input: z.array(MessageReference).optional().describe('Input of the activation instead of its own.'),
      plan: z.string().optional().describe('Hash of the workflow with which the run continues; absent: the same.'),
      definition: definition.optional(),
      tags: z.array(z.string()).optional().describe('Tags of the run; absent: those of the other run.'),
      replay: replay.optional().describe('The fork that the run repeats.'),
      held: z.literal(true).optional(),
      told: z.literal(true).optional(),
      text: text('the output'),
    },
  ),
  eventSchema('run.told', 'The run was resumed with a further task.', {
    activations: z.array(z.string()).describe('Activations that receive the messages.'),
    messages: z.array(MessageReference),
    node: nodeIndex.optional().describe('Index of the node of the root graph that continues with the messages.'),
    nodeId: z.string().optional().describe('Id of that node.'),
    nodeType: z.string().optional().describe('Type of that node.'),
    text: text('the last message'),
  }),
  eventSchema('run.finished', 'The run has ended.', {
    status: z.enum(['completed', 'failed', 'cancelled', 'terminated']),
    output: MessageReference.optional(),
    error: runError.optional(),
    stop: StopReason.optional(),
    text: text('the output, the error or the reason'),
  }),
  eventSchema('run.budgeted', 'The limits of the run from here on; they include what it has spent.', {
    budget: Budget,
  }),
  eventSchema('signal.received', 'A signal has arrived.', {
    name: z.string(),
    id: z.string().optional().describe('Id that its sender gave it; the run accepts each id once.'),
    message: MessageReference,
    facts: z.record(z.string(), z.string()).describe('The values that filters of the workflow look at.'),
    text: text('its data'),
  }),
  eventSchema('alarm.set', 'Something happens in the run at this time.', { alarm, dueAt: at }),
  eventSchema('alarm.cleared', 'The alarm was removed.', { alarm }),
  eventSchema('journal.archived', 'The journal up to a version is stored outside of Redis.', {
    ...journalPart,
    to: z.number().describe('Last version in it.'),
  }),
  eventSchema('files.attached', 'A person attached files to the task or to an answer.', {
    frame: z.string().describe('Execution of the graph whose workspace has the files.'),
    files: fileChanges,
  }),
] as const;

/** Events of the calls of an activation, and of the files that it writes. */
export const stepEvents = [
  eventSchema('step.started', 'A call of a model, a tool or a program begins.', {
    ...activationPlace,
    step: z.int().describe('Number of the call in the activation, from 1.'),
    name: z.string().describe('Name of the call, such as `chat gpt-4o` or `tool search`.'),
    request: z.string().describe('Hash of the request.'),
    counts: z.record(z.string(), z.number()).optional().describe('New values of the tallies that it raises.'),
  }),
  eventSchema('step.completed', 'The call has returned.', {
    ...activationPlace,
    step: z.int(),
    result: z.string().describe('Id of the message with its result.'),
    usage: z
      .object({
        promptTokens: z.number(),
        completionTokens: z.number(),
        cachedTokens: z.number().optional(),
        microUsd: z.number().optional().describe('Millionths of a US dollar; absent if the price is unknown.'),
      })
      .optional(),
    model: z.string().optional().describe('The model that was asked; absent without `usage`.'),
    failed: z.literal(true).optional().describe('The call failed; a retry of the activation makes it again.'),
    charge: Amount.optional().describe('Charge that replaces its reservation in the budget.'),
    text: text('what the model or tool said'),
  }),
  eventSchema('step.reserved', 'The worst case of the call is reserved in the budget.', {
    ...activationPlace,
    step: z.int(),
    amount: Amount,
  }),
  eventSchema('step.lost', 'The outcome of the call will never be known: its reservation counts as spent.', {
    ...activationPlace,
    step: z.int(),
  }),
  eventSchema('files.changed', 'The node wrote into its workspace.', {
    ...activationPlace,
    node: z.string().describe('Id of the node.'),
    frame: z.string().describe('Execution of the graph whose workspace has the files.'),
    step: z.int().optional().describe('The call that changed the files.'),
    files: fileChanges,
  }),
] as const;
