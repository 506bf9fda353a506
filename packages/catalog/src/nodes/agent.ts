import type { ChatMessage, ChatReply, ConfigProblem, Message } from '@millrace/core';
import { completed, defineNode, NodeError, textMessage } from '@millrace/core';
import { z } from 'zod';
import { scriptProblems } from '../providers/script.ts';
import { flatten } from './flatten.ts';
import { Memories } from './memory-attachment.ts';
import { RetryConfig, retryPolicyOf } from './retry-config.ts';
import { Tooling } from './tooling-config.ts';

const required = (error: string) => z.string({ error }).trim().min(1, { error });

const Thinking = z
  .object(
    {
      type: z
        .literal('reflection', { error: 'Write `type: reflection`.' })
        .describe('The kind of thinking; only reflection.'),
      config: z
        .object(
          {
            reflection_prompt: required('Write what the model is to reflect on.').describe(
              'What the model is asked after its first answer.',
            ),
          },
          { error: 'Write `config` with a `reflection_prompt`.' },
        )
        .describe('What the reflection asks for.'),
    },
    { error: 'Write a mapping with `type: reflection` and a `config`.' },
  )
  .nullish()
  .describe('A second look of the model at its own answer.');

const skillName = required('Write the name of a skill.');
const Skills = z
  .object(
    {
      enabled: z
        .boolean({ error: 'Write `true` or `false`.' })
        .default(false)
        .describe('Whether the agent may use skills.'),
      allow: z
        .array(
          z.union([skillName, z.object({ name: skillName.describe('Name of the skill.') })], {
            error: 'Write the name of a skill.',
          }),
          {
            error: 'Write a list of skill names.',
          },
        )
        .nullish()
        .describe('The skills it may use; all when empty.'),
    },
    { error: 'Write a mapping such as `enabled: true`.' },
  )
  .nullish()
  .describe('Skills: folders with instructions that the model may read.');

/** Configuration of an `agent` node. */
export const AgentConfig = z.object({
  provider: required('Write the provider, such as `provider: openai`.').describe(
    'Who answers: openai for every server that speaks its API, or scripted.',
  ),
  name: required('Write the name of the model, such as `name: gpt-4o`.').describe(
    'The model, by the name its provider gives it.',
  ),
  base_url: z
    .string({ error: 'Write a URL.' })
    .nullish()
    .describe('URL of the API; left out: that of OpenAI, or OPENAI_BASE_URL of the worker.'),
  api_key: z
    .string({ error: 'Write a text, best a variable such as `api_key: ${API_KEY}`.' })
    .nullish()
    .describe('Key of the API; left out: OPENAI_API_KEY of the worker.'),
  role: z.string({ error: 'Write the system prompt as text.' }).nullish().describe('The system prompt.'),
  params: z
    .record(z.string(), z.unknown(), { error: 'Write a mapping, such as `temperature: 0.2`.' })
    .nullish()
    .describe(
      'Passed to the model as written. temperature is 0.7 when left out and not sent when null; timeout is in seconds.',
    ),
  input_mode: z
    .string({ error: 'Write `messages` or `prompt`.' })
    .toLowerCase()
    .pipe(z.enum(['messages', 'prompt'], { error: 'Write `messages` or `prompt`.' }))
    .default('messages')
    .describe('messages sends the input as it is; prompt sends it as one text with a headline for each message.'),
  tooling: Tooling,
  thinking: Thinking,
  memories: Memories,
  skills: Skills,
  retry: RetryConfig.nullish().describe('When a failed call is made again.'),
});

type Config = z.infer<typeof AgentConfig>;

/** Asks a language model. */
export const agent = defineNode({
  type: 'agent',
  summary: 'Asks a language model and emits its answer.',
  config: AgentConfig,
  templates: ['role'],
  secrets: ['api_key', 'tooling.*.config.headers', 'tooling.*.config.env'],
  check: (config): readonly ConfigProblem[] =>
    config.provider === 'scripted'
      ? scriptProblems(config.params ?? {}).map(({ path, message }) => ({
          code: 'E_FIELD_INVALID',
          severity: 'error',
          path: ['params', ...path],
          message,
        }))
      : [],
  async execute(config, input, host) {
    refuseMissing(config, host.node);
    const reply = await host.chat({
      provider: config.provider,
      model: config.name,
      ...(config.base_url ? { baseUrl: config.base_url } : {}),
      ...(config.api_key ? { apiKey: config.api_key } : {}),
      messages: conversation(config, input),
      params: { temperature: 0.7, ...config.params },
      retry: retryPolicyOf(config.retry),
    });
    return completed([answer(reply, host)]);
  },
  failureText(config, input, failure) {
    const start = Array.from(flatten(input)).slice(0, 200).join('');
    return `Error calling model ${config.name}: ${failure.message}\n\nOriginal input: ${start}...`;
  },
});

function conversation(config: Config, input: readonly Message[]): ChatMessage[] {
  const system: ChatMessage[] = config.role ? [{ role: 'system', content: config.role }] : [];
  if (config.input_mode === 'prompt') return [...system, { role: 'user', content: flatten(input) }];
  if (input.length === 0) return [...system, { role: 'user', content: '' }];
  return [...system, ...input.map(spoken)];
}

const spoken = ({ role, content, name, toolCalls, toolCallId }: Message): ChatMessage => ({
  role,
  content,
  ...(name === undefined ? {} : { name }),
  ...(toolCalls === undefined ? {} : { toolCalls }),
  ...(toolCallId === undefined ? {} : { toolCallId }),
});

function answer(reply: ChatReply, host: { readonly node: string; readonly compat: boolean }): Message {
  const wanted = reply.toolCalls?.[0];
  if (wanted !== undefined) throw missing(host.node, `The model asked for the tool "${wanted.name}", and tools`);
  const message = textMessage('assistant', reply.text, host.node);
  // The original engine's answers are blocks; it shows when one is empty, because an empty block reads "[text block]".
  return host.compat && reply.text === '' ? { ...message, content: [{ type: 'text', text: '' }] } : message;
}

function refuseMissing(config: Config, node: string): void {
  if (config.tooling?.length) throw missing(node, 'It has `tooling`, and tools');
  if (config.thinking) throw missing(node, 'It has `thinking`, and reflection steps');
  if (config.memories?.length) throw missing(node, 'It has `memories`, and memory stores');
  if (config.skills?.enabled) throw missing(node, 'It has `skills`, and skills');
}

const missing = (node: string, what: string): NodeError =>
  new NodeError(
    'E_AGENT_FEATURE_MISSING',
    `Agent "${node}" cannot run: ${what} are not built into this version of Millrace yet. Remove them to run the agent without.`,
  );
