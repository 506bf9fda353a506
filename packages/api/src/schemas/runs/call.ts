import { UnknownRule, Usage, Warning } from '@millrace/core/schemas';
import type { CallDetail as KnownCall, CallLine as KnownLine } from '@millrace/runtime';
import { z } from 'zod';
import { ActivationId } from './activation.ts';
import { RunId } from './run.ts';

/** One call of an activation in a path. */
export const CallPath = z.object({
  id: RunId,
  aid: ActivationId,
  step: z.coerce.number().int().min(0).max(1_000_000_000).describe('Number of the call in its activation, from 0.'),
});

/** Query for one call. */
export const CallQuery = z.object({
  bodies: z.literal('heads').optional().describe('Only the first 2,048 characters of each message.'),
});

const time = z.number().describe('Milliseconds since 1970.');

const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string().describe('JSON, as the model wrote it.'),
});

const facts = {
  step: z.int().describe('Number of the call in its activation, from 0.'),
  name: z.string().describe('Name of the call, such as `chat gpt-6-sol` or `tool search`.'),
  startedAt: time,
  insteadOf: z
    .string()
    .optional()
    .describe('The model that gave no answer, in whose place another one was asked; absent for other calls.'),
  completedAt: time.optional().describe('Milliseconds since 1970; absent while it is executing.'),
  usage: Usage.optional(),
  model: z.string().optional().describe('The model that was asked; absent without `usage`.'),
  failed: z.literal(true).optional().describe('The call failed.'),
  unknown: UnknownRule.optional().describe(
    'The outcome of the call was unknown, and this rule has decided what follows; absent: it was known.',
  ),
  late: z.literal(true).optional().describe('A result came that does not count: the event `step.late` names it.'),
  isRecorded: z
    .boolean()
    .describe('The request to the model is in the journal. False for calls of tools and programs, too.'),
};

/** The calls of an activation. */
export const CallList = z.object({
  data: z.array(z.object(facts).meta({ id: 'CallLine' })).describe('In their order.'),
});

const AskedMessage = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    text: z.string(),
    size: z
      .int()
      .optional()
      .describe(
        'Characters of the whole text, where it is cut: with `bodies=heads`, and behind 4 Mi characters of a request.',
      ),
    id: z.string().describe('Id of the message that holds the content.'),
    step: z.int().optional().describe('The content is the result of this call of the activation.'),
    name: z.string().optional(),
    toolCalls: z.array(ToolCall).optional().describe('Calls of tools that the message asks for.'),
    toolCallId: z.string().optional().describe('Id of the call that it answers.'),
  })
  .meta({ id: 'AskedMessage' });

const Asked = z
  .object({
    provider: z.string(),
    model: z.string(),
    baseUrl: z.string().optional(),
    params: z.record(z.string(), z.unknown()).describe('As the author wrote them: temperature, max_tokens and so on.'),
    limit: z.int().optional().describe('Limit of the reply in tokens that Millrace chose.'),
    toolChoice: z.union([z.string(), z.object({ tool: z.string() })]).optional(),
    tools: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
        }),
      )
      .describe('Tools that the model may call.'),
    messages: z
      .array(AskedMessage)
      .describe('The whole conversation, with the system prompt, memories and the results of tools.'),
  })
  .meta({ id: 'AskedOfModel' });

const Reply = z
  .object({
    text: z.string(),
    thoughts: z.string().optional().describe('Thoughts of the model, which are no part of the text.'),
    end: z.string().describe('How the reply ended: `stop`, `calls`, `length`, `refusal` and so on.'),
    finishReason: z.string().optional().describe("The same in the provider's words."),
    toolCalls: z.array(ToolCall).optional().describe('Calls of tools that it asks for.'),
    attachments: z
      .array(z.string())
      .optional()
      .describe('Images, recordings and files beside the text, by their names.'),
    warnings: z.array(Warning).optional(),
  })
  .meta({ id: 'ModelReply' });

/** One call with its request and its result. */
export const CallDetail = z
  .object({
    ...facts,
    request: Asked.optional().describe('What the model was asked; absent where `isRecorded` is false.'),
    reply: Reply.optional().describe('Reply of the model.'),
    text: z.string().optional().describe('Result of a call of a tool or program.'),
    error: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .describe('Reason why the model gave no reply.'),
  })
  .meta({ id: 'CallDetail' });
/** CallDetail as responses have it. */
export type CallDetail = z.output<typeof CallDetail>;

/** The calls of an activation as the API shows them. */
export const callListOf = (calls: readonly KnownLine[]): z.infer<typeof CallList> => ({ data: [...calls] });

/** A call as the API shows it. */
export function callOf({ request, reply, ...call }: KnownCall): CallDetail {
  return {
    ...call,
    ...(request === undefined ? {} : { request: askedOf(request) }),
    ...(reply === undefined ? {} : { reply: replyOf(reply) }),
  };
}

const askedOf = ({ settings, tools, messages }: NonNullable<KnownCall['request']>): z.infer<typeof Asked> => {
  const { provider, model, baseUrl, params, limit, toolChoice } = settings;
  return {
    provider,
    model,
    params: { ...params },
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(limit === undefined ? {} : { limit }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters: { ...parameters } })),
    messages: messages.map(({ toolCalls, ...message }) => ({ ...message, ...callsOf(toolCalls) })),
  };
};

function replyOf({
  text,
  thoughts,
  end,
  finishReason,
  toolCalls,
  blocks = [],
  warnings = [],
}: NonNullable<KnownCall['reply']>): z.infer<typeof Reply> {
  const names = blocks.flatMap((block) =>
    'attachment' in block ? [block.attachment.name || block.attachment.id] : [],
  );
  return {
    text,
    end,
    ...(thoughts === undefined ? {} : { thoughts }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...callsOf(toolCalls),
    ...(names.length === 0 ? {} : { attachments: names }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  };
}

const callsOf = (calls: readonly z.infer<typeof ToolCall>[] | undefined) =>
  calls === undefined
    ? {}
    : { toolCalls: calls.map(({ id, name, arguments: written }) => ({ id, name, arguments: written })) };
