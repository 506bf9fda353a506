import type { ChatRequest } from '@millrace/core';
import { z } from 'zod';
import { contentText } from '../model-calls/content-text.ts';

const text = z.string({ error: 'Write a text.' });

const ScriptedToolCall = z.strictObject({
  name: text.describe('The tool.'),
  arguments: z
    .union([text, z.record(z.string(), z.unknown())])
    .default({})
    .describe('Its arguments: a mapping, or JSON text.'),
  id: text.optional().describe('Id of the call; `call_<n>` when left out.'),
});

const ScriptedError = z.strictObject({
  type: text.default('APIError').describe("Name of the error class, as in OpenAI's Python SDK."),
  status: z.int().optional().describe('HTTP status.'),
  message: text.default('').describe('What the error says.'),
});

const ScriptedReply = z.union(
  [
    text,
    z.strictObject({
      text: text.default('').describe('The answer. {n}, {last_user}, {last} and {model} are filled in.'),
      chunks: z
        .array(text)
        .optional()
        .describe('The answer in pieces, in place of `text`; delay_ms passes after each of them.'),
      tool_calls: z.array(ScriptedToolCall).default([]).describe('Tools that the model asks for.'),
      error: ScriptedError.optional().describe('The call fails with this.'),
      delay_ms: z.number().min(0).default(0).describe('Milliseconds to wait before answering or failing.'),
    }),
  ],
  { error: 'Write a text, or a mapping with `text`, `chunks`, `tool_calls`, `error` or `delay_ms`.' },
);

const ScriptedWhen = z.strictObject({
  model: text.optional().describe('The model is this one.'),
  system_contains: text.optional().describe('The system prompt contains this.'),
  last_contains: text.optional().describe('The last message contains this.'),
  last_user_contains: text.optional().describe('The last user message contains this.'),
  any_contains: text.optional().describe('Some message contains this.'),
  not_contains: text.optional().describe('No message contains this.'),
  last_role: z.enum(['user', 'assistant', 'tool', 'system']).optional().describe('Who spoke last.'),
  call: z.int().min(1).optional().describe('It is the n-th request with the same model and system prompt.'),
  endpoint: z.enum(['chat', 'responses']).optional().describe('The API in use; always chat.'),
  has_tools: z.boolean().optional().describe('Whether the request offers tools.'),
});

const ScriptedRule = z
  .strictObject({
    when: ScriptedWhen.default({}).describe('All of these must hold.'),
    reply: ScriptedReply.optional().describe('What the model answers.'),
    replies: z.array(ScriptedReply).min(1).optional().describe('The k-th hit gives the k-th; the last one repeats.'),
  })
  .refine((rule) => (rule.reply === undefined) !== (rule.replies === undefined), {
    error: 'Write either `reply` or `replies`.',
  });

/** What the scripted model answers: the first rule that matches, or else the default. */
export const ModelScript = z.object({
  default: ScriptedReply.default('ECHO[{n}]: {last_user}').describe('The answer when no rule matches.'),
  rules: z.array(ScriptedRule, { error: 'Write a list of rules.' }).default([]).describe('Tried in order.'),
});
export type ModelScript = z.infer<typeof ModelScript>;
export type ScriptedReply = z.infer<typeof ScriptedReply>;
type When = z.infer<typeof ScriptedWhen>;

/** What is wrong with a script, as paths and messages; empty when it is fine. */
export const scriptProblems = (params: unknown): readonly ScriptProblem[] => problemsOf(ModelScript.safeParse(params));

/** The same for a file that has a script and nothing else, where anything else is a mistake. */
export const scriptFileProblems = (content: unknown): readonly ScriptProblem[] =>
  problemsOf(ModelScript.strict().safeParse(content));

interface ScriptProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const problemsOf = ({ error }: z.ZodSafeParseResult<ModelScript>): readonly ScriptProblem[] =>
  (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
    message,
  }));

/** A request as the rules see it. */
export interface ScriptedRequest {
  readonly model: string;
  readonly system: string;
  readonly texts: readonly string[];
  readonly last: string;
  readonly lastUser: string;
  readonly lastRole: string | undefined;
  readonly hasTools: boolean;
}

/** What the rules may ask about a request. */
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

/** The index of the first rule that matches the `n`-th request of its kind. */
export function matchingRule(script: ModelScript, asked: ScriptedRequest, n: number): number | undefined {
  const index = script.rules.findIndex(({ when }) => matches(when, asked, n));
  return index === -1 ? undefined : index;
}

/** Whether an answer may depend on how many requests of its kind there have been. */
export function countsRequests(script: ModelScript): boolean {
  const replies = [script.default, ...script.rules.flatMap((rule) => rule.replies ?? [rule.reply ?? ''])];
  return (
    script.rules.some((rule) => rule.when.call !== undefined) || replies.some((reply) => wordsOf(reply).includes('{n}'))
  );
}

const wordsOf = (reply: ScriptedReply): string =>
  typeof reply === 'string' ? reply : (reply.chunks ?? [reply.text]).join(' ');

/** A reply's text with its placeholders filled in. */
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
