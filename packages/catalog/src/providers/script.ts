import type { ChatRequest, JsonSchema } from '@millrace/core';
import { z } from 'zod';
import { contentText } from '../model-calls/content.ts';

const text = z.string({ error: 'Write a text.' });

const ScriptedToolCall = z.strictObject({
  name: text.describe('Name of the tool.'),
  arguments: z
    .union([text, z.record(z.string(), z.unknown())])
    .default({})
    .describe('Arguments of the call: a mapping, or JSON text.'),
  id: text.optional().describe('Id of the call; `call_<n>` if omitted.'),
});

const ScriptedError = z.strictObject({
  type: text.default('APIError').describe("Name of the error class, as in OpenAI's Python SDK."),
  status: z.int().optional().describe('HTTP status.'),
  message: text.default('').describe('Message of the error.'),
});

const ScriptedReply = z.union(
  [
    text,
    z.strictObject({
      text: text.default('').describe('Text of the answer. {n}, {last_user}, {last} and {model} are replaced.'),
      chunks: z
        .array(text)
        .optional()
        .describe('Parts of the answer, in place of `text`; delay_ms passes after each of them.'),
      tool_calls: z.array(ScriptedToolCall).default([]).describe('Tool calls of the model.'),
      error: ScriptedError.optional().describe('Error with which the call fails.'),
      delay_ms: z.number().min(0).default(0).describe('Milliseconds to wait before answering or failing.'),
    }),
  ],
  { error: 'Write a text, or a mapping with `text`, `chunks`, `tool_calls`, `error` or `delay_ms`.' },
);

const ScriptedWhen = z.strictObject({
  model: text.optional().describe('Name of the model.'),
  system_contains: text.optional().describe('Text that the system prompt contains.'),
  last_contains: text.optional().describe('Text that the last message contains.'),
  last_user_contains: text.optional().describe('Text that the last user message contains.'),
  any_contains: text.optional().describe('Text that any message contains.'),
  not_contains: text.optional().describe('Text that no message contains.'),
  last_role: z.enum(['user', 'assistant', 'tool', 'system']).optional().describe('Role of the last message.'),
  call: z.int().min(1).optional().describe('Number of the request with the same model and system prompt.'),
  endpoint: z.enum(['chat', 'responses']).optional().describe('API of the request; always chat.'),
  has_tools: z.boolean().optional().describe('The request offers tools.'),
});

const ScriptedRule = z
  .strictObject({
    when: ScriptedWhen.default({}).describe('Conditions, all of which must hold.'),
    reply: ScriptedReply.optional().describe('Reply of the model.'),
    replies: z
      .array(ScriptedReply)
      .min(1)
      .optional()
      .describe('Replies in order: the k-th match gets the k-th; the last one repeats.'),
  })
  .refine((rule) => (rule.reply === undefined) !== (rule.replies === undefined), {
    error: 'Write either `reply` or `replies`.',
  });

/** Script of the scripted model: the first rule that matches decides, or else the default. */
export const ModelScript = z.object({
  default: ScriptedReply.default('ECHO[{n}]: {last_user}').describe('Reply if no rule matches.'),
  rules: z
    .array(ScriptedRule, { error: 'Write a list of rules.' })
    .default([])
    .describe('Rules in the order of their priority.'),
});
export type ModelScript = z.infer<typeof ModelScript>;
export type ScriptedReply = z.infer<typeof ScriptedReply>;
type When = z.infer<typeof ScriptedWhen>;

/** Returns the problems of a script, as paths and messages; empty if it is valid. */
export const scriptProblems = (params: unknown): readonly ScriptProblem[] => problemsOf(ModelScript.safeParse(params));

/** Returns the problems of a file that contains only a script; everything else in it is a problem. */
export const scriptFileProblems = (content: unknown): readonly ScriptProblem[] =>
  problemsOf(ModelScript.strict().safeParse(content));

/** Returns the JSON Schema of a script. */
export function scriptJsonSchema(): JsonSchema {
  const { $schema: _enclosing, ...schema } = z.toJSONSchema(ModelScript.strict(), { io: 'input', reused: 'inline' });
  return schema;
}

interface ScriptProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const problemsOf = ({ error }: z.ZodSafeParseResult<ModelScript>): readonly ScriptProblem[] =>
  (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
    message,
  }));

/** Properties of a request that rules test. */
export interface ScriptedRequest {
  readonly model: string;
  readonly system: string;
  readonly texts: readonly string[];
  readonly last: string;
  readonly lastUser: string;
  readonly lastRole: string | undefined;
  readonly hasTools: boolean;
}

/** Returns the properties of a request that rules test. */
export function scriptedRequestOf({ model, messages, params, tools = [] }: ChatRequest): ScriptedRequest {
  const texts = messages.map(contentText);
  return {
    model,
    system: texts.filter((_, index) => messages[index]?.role === 'system').join('\n'),
    texts,
    last: texts.at(-1) ?? '',
    lastUser: texts.findLast((_, index) => messages[index]?.role === 'user') ?? '',
    lastRole: messages.at(-1)?.role,
    hasTools: tools.length > 0 || (Array.isArray(params['tools']) && params['tools'].length > 0),
  };
}

/** Returns the index of the first rule that matches the `n`-th request of its kind. */
export function matchingRule(script: ModelScript, asked: ScriptedRequest, n: number): number | undefined {
  const index = script.rules.findIndex(({ when }) => matches(when, asked, n));
  return index === -1 ? undefined : index;
}

/** Returns whether an answer may depend on the number of requests of its kind. */
export function countsRequests(script: ModelScript): boolean {
  const replies = [script.default, ...script.rules.flatMap((rule) => rule.replies ?? [rule.reply ?? ''])];
  return (
    script.rules.some((rule) => rule.when.call !== undefined) || replies.some((reply) => wordsOf(reply).includes('{n}'))
  );
}

const wordsOf = (reply: ScriptedReply): string =>
  typeof reply === 'string' ? reply : (reply.chunks ?? [reply.text]).join(' ');

/** Returns the text of a reply with its placeholders replaced. */
export function fillPlaceholders(template: string, asked: ScriptedRequest, n: number): string {
  const values: Readonly<Record<string, string>> = {
    n: String(n),
    last_user: asked.lastUser,
    last: asked.last,
    model: asked.model,
  };
  return template.replace(/\{(n|last_user|last|model)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

const tests: {
  readonly [K in keyof Required<When>]: (value: NonNullable<When[K]>, asked: ScriptedRequest, n: number) => boolean;
} = {
  model: (model, asked) => asked.model === model,
  system_contains: (part, asked) => asked.system.includes(part),
  last_contains: (part, asked) => asked.last.includes(part),
  last_user_contains: (part, asked) => asked.lastUser.includes(part),
  any_contains: (part, asked) => asked.texts.some((each) => each.includes(part)),
  not_contains: (part, asked) => !asked.texts.some((each) => each.includes(part)),
  last_role: (role, asked) => asked.lastRole === role,
  call: (call, _asked, n) => call === n,
  endpoint: (endpoint) => endpoint === 'chat',
  has_tools: (wanted, asked) => wanted === asked.hasTools,
};

function matches(when: When, asked: ScriptedRequest, n: number): boolean {
  const holds = <K extends keyof When>(key: K): boolean => {
    const value = when[key];
    return value === undefined || tests[key](value, asked, n);
  };
  // The schema is strict, so the keys of a parsed `when` are keys of the table.
  return (Object.keys(when) as (keyof When)[]).every(holds);
}
