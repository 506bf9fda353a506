import { ModelUsage, RecordedResult, UnknownRule, Usage, Warning } from '@millrace/core/schemas';
import type {
  ActivationMessage,
  ActivationPage,
  Activation as KnownActivation,
  ActivationDetail as KnownDetail,
} from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit } from '../page.ts';
import { RunId } from './run.ts';

/** The id of an activation. */
export const ActivationId = z.string().regex(/^a\d{1,15}$/, 'must be the id of an activation, as in a2');

/** One activation in a path. */
export const ActivationPath = z.object({ id: RunId, aid: ActivationId });

const ActivationState = z
  .enum(['ready', 'working', 'waiting', 'opened', 'completed', 'failed', 'dropped'])
  .describe('`opened`: others do its work. `dropped`: the run ended before it had settled.');

/** Query for a page of activations. */
export const ActivationListQuery = z.object({
  limit: PageLimit,
  cursor: ActivationId.optional().describe('nextCursor of the previous page.'),
  node: z.string().max(1000).optional().describe('Only activations of this node.'),
  graph: z.string().max(1000).optional().describe('Only those of this graph, by its key: empty for the root graph.'),
  state: z
    .union([ActivationState, z.array(ActivationState).min(1).max(7)])
    .optional()
    .describe('A state, or several: `state=failed&state=waiting`.'),
  scope: z.string().max(30).optional().describe('Only those of this execution of a graph, loop or fan-out.'),
  outputs: z
    .literal('heads')
    .optional()
    .describe('Adds the digest, the size and the first 40 characters of the last output.'),
});

/** Query for one activation. */
export const ActivationQuery = z.object({
  bodies: z.literal('heads').optional().describe('Only the first 2,048 characters of each message.'),
});

const time = z.number().describe('Milliseconds since 1970.');

const Call = z
  .object({
    step: z.number().int(),
    name: z.string(),
    insteadOf: z.string().optional().describe('The model that gave no answer, in whose place another one was asked.'),
    startedAt: time,
    completedAt: time.optional().describe('Milliseconds since 1970; absent while it is executing.'),
    usage: Usage.optional(),
    recorded: RecordedResult.pick({ usage: true, model: true }).optional(),
    failed: z.literal(true).optional().describe('The call failed or was interrupted.'),
    unknown: UnknownRule.optional().describe(
      'The outcome of the call was unknown, and this rule has decided what follows; absent: it was known.',
    ),
    late: z.literal(true).optional().describe('A result came that does not count: the event `step.late` names it.'),
  })
  .meta({ id: 'Call' });

const ApprovedCall = z
  .object({
    place: z.int().describe('Number of the call among the calls of the activation, from 1.'),
    tool: z.string(),
    server: z.string().optional().describe('The MCP server that has the tool; absent: a function.'),
    arguments: z.string().describe('The arguments of the model, as JSON.'),
    rule: z.string().describe('The rule of the policy that asked, in words.'),
    hash: z.string().describe('Hash of the call; of an approved one, with the arguments that are sent.'),
    until: time.optional().describe('Milliseconds since 1970 when it counts as rejected; absent: never.'),
    askedAt: time,
    decision: z.enum(['approve', 'reject', 'expire']).optional().describe('Absent: nobody has decided yet.'),
    decidedAt: time.optional(),
    by: z.string().optional().describe('Name of the person who decided, if it is known.'),
    reason: z.string().optional(),
    sent: z.string().optional().describe('Arguments that were approved in place of those of the model, as JSON.'),
    step: z.int().optional().describe('Number of the call in `calls` that it became.'),
  })
  .meta({ id: 'ApprovedCall' });

/** One time a node was due. */
export const Activation = z
  .object({
    id: ActivationId,
    node: z.string().describe('Empty for the activation that counts the votes of a voting graph.'),
    graph: z.string().describe('Empty for the root graph; otherwise the path of the enclosing nodes.'),
    part: z
      .enum(['whole', 'open', 'unit', 'join', 'close', 'exit'])
      .describe(
        'All of its work, or which part of a node that holds others; `exit`: it comes last in a graph that is stopped.',
      ),
    unit: z.number().int().optional().describe('Number of its unit in a fan-out, from 0.'),
    state: ActivationState,
    scope: z.string().describe('Execution of a graph, loop or fan-out that it belongs to; `s0` is the root graph.'),
    iteration: z.int().optional().describe('Iteration of the innermost loop around it, from 1.'),
    attempts: z.number().int().describe('Number of announced attempts; work that ends at once is not announced.'),
    worker: z.string().optional().describe('Worker of the last announced attempt.'),
    readyAt: time,
    startedAt: time.optional(),
    settledAt: time.optional(),
    until: time.optional().describe('Time at which a postponed activation continues, in milliseconds since 1970.'),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe('Reason of its last failure.'),
    question: z.string().optional().describe('Question that it asks a person.'),
    askedAt: time.optional().describe('Time of its last question, in milliseconds since 1970.'),
    warnings: z.array(Warning),
    calls: z.array(Call).describe('Its calls of models, tools and programs.'),
    approvals: z
      .array(ApprovedCall)
      .optional()
      .describe('Calls of tools that people were asked about; absent without any.'),
    usage: ModelUsage.optional().describe('Usage of its calls of models; absent without any.'),
    routes: z
      .array(z.object({ edge: z.int(), to: z.string(), met: z.boolean() }))
      .optional()
      .describe('The edges of its node, by their numbers and targets; `met`: a message passed. Absent before the end.'),
    lastOutput: z
      .object({
        id: z.string().describe('Id of the message.'),
        text: z.string().describe('First characters of the text.'),
        size: z.int().describe('Size of the whole message in bytes.'),
        digest: z.string().describe('SHA-256 of the whole message, the same for equal messages of all runs.'),
      })
      .optional()
      .describe('In lists with `outputs=heads`.'),
  })
  .meta({ id: 'Activation' });

/** Activation as responses have it. */
export type Activation = z.output<typeof Activation>;

/** A page of activations. */
export const ActivationList = z.object({
  data: z.array(Activation),
  looked: z.int().describe('Number of activations that were read to find these.'),
  nextCursor: ActivationId.nullable().describe(
    'null when there are no more at present. A page may have fewer activations than asked for and not be the last.',
  ),
});

const ShownMessage = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    source: z.string().describe('The node that sent it, or TASK.'),
    text: z.string(),
    id: z.string().describe('Id of the message.'),
    size: z.int().optional().describe('Size of the whole message in bytes, with `bodies=heads`.'),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Structured data that it carries, such as a typed output; with `bodies=heads` only of messages up to 8 KiB.',
      ),
    keep: z.boolean().describe('The message stays in the context of its node.'),
  })
  .meta({ id: 'ActivationMessage' });

/** An activation and its messages. */
export const ActivationDetail = Activation.extend({
  input: z.array(ShownMessage).describe('Complete input of the node, with the messages that its context has kept.'),
  output: z.array(ShownMessage),
}).meta({ id: 'ActivationDetail' });
/** ActivationDetail as responses have it. */
export type ActivationDetail = z.output<typeof ActivationDetail>;

/** An activation as the API shows it. */
export const activationOf = ({
  wait,
  asked: _last,
  warnings,
  calls,
  approvals,
  routes,
  outputs: _messages,
  ...facts
}: KnownActivation): z.infer<typeof Activation> => ({
  ...facts,
  ...(routes === undefined ? {} : { routes: [...routes] }),
  warnings: [...warnings],
  calls: [...calls],
  ...(approvals.length === 0 ? {} : { approvals: [...approvals] }),
  ...(wait === undefined ? {} : { question: wait.prompt }),
});

/** A page of activations as the API shows it. */
export const activationListOf = ({ activations, looked, next }: ActivationPage): z.infer<typeof ActivationList> => ({
  data: activations.map(activationOf),
  looked,
  nextCursor: next === undefined ? null : `a${next}`,
});

/** An activation with its messages as the API shows it. */
export const activationDetailOf = ({ input, output, ...rest }: KnownDetail): z.infer<typeof ActivationDetail> => ({
  ...activationOf(rest),
  input: input.map(messageOf),
  output: output.map(messageOf),
});

const messageOf = ({ keep = false, ...message }: ActivationMessage): z.infer<typeof ShownMessage> => ({
  ...message,
  keep,
});
