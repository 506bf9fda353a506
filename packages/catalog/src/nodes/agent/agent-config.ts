import { RateLimit } from '@millrace/core';
import { z } from 'zod';
import { Memories } from '../memory-attachment.ts';
import { RetryConfig } from '../retry-config.ts';
import { Tooling } from './tooling/tooling-config.ts';

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
            // Not trimmed: it is put behind the conversation as it is written.
            reflection_prompt: z
              .string({ error: 'Write what the model is to reflect on.' })
              .refine((text) => text.trim() !== '', { error: 'Write what the model is to reflect on.' })
              .describe('What the model is asked after its first answer.'),
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
    'Who answers: openai for every server that speaks its API, gemini, anthropic, or scripted.',
  ),
  name: required('Write the name of the model, such as `name: gpt-4o`.').describe(
    'The model, by the name its provider gives it.',
  ),
  base_url: z
    .string({ error: 'Write a URL.' })
    .nullish()
    .describe('URL of the API; left out: that of the provider, for openai OPENAI_BASE_URL of the worker.'),
  api_key: z
    .string({ error: 'Write a text, best a variable such as `api_key: ${API_KEY}`.' })
    .nullish()
    .describe('Key of the API; left out: OPENAI_API_KEY, GEMINI_API_KEY or ANTHROPIC_API_KEY of the worker.'),
  role: z.string({ error: 'Write the system prompt as text.' }).nullish().describe('The system prompt.'),
  params: z
    .record(z.string(), z.unknown(), { error: 'Write a mapping, such as `temperature: 0.2`.' })
    .nullish()
    .describe(
      'Passed to the model as written. temperature is 0.7 for openai when left out and not sent when null; timeout is in seconds; protocol is chat or responses.',
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
  handoffs: z
    .array(required('Write the id of a node, or a name such as `user`.'), { error: 'Write a list of names.' })
    .nullish()
    .describe('Whom the agent may hand over to: nodes of the graph, or others outside such as user.'),
  signals: z
    .array(z.enum(['stop'], { error: 'Write `stop`.' }), { error: 'Write a list, such as `signals: [stop]`.' })
    .nullish()
    .describe('stop: the agent may ask for the end.'),
  rate_limit: RateLimit.nullish().describe(
    'How much this agent may ask of its model in a minute, in all its runs together.',
  ),
  retry: RetryConfig.nullish().describe('When a failed call is made again.'),
});

/** An agent's configuration as read. */
export type AgentConfig = z.infer<typeof AgentConfig>;
