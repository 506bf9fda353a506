import { RateLimit, singleLine } from '@millrace/core';
import { z } from 'zod';
import { OnIncomplete } from '../../model-calls/on-incomplete.ts';
import { CacheConfig } from '../../model-calls/prompt-reuse.ts';
import { Memories } from '../memory/memory-attachment.ts';
import { RetryConfig } from '../retry-config.ts';
import { ContextConfig } from './context-config.ts';
import { FallbackConfig, modelFields } from './model-config.ts';
import { OutputConfig } from './output-config.ts';
import { Tooling } from './tooling/tooling-config.ts';

const required = (error: string) => z.string({ error }).trim().min(1, { error }).regex(singleLine);

const Thinking = z
  .object(
    {
      type: z
        .literal('reflection', { error: 'Write `type: reflection`.' })
        .describe('Type of thinking; only reflection.'),
      config: z
        .object(
          {
            // Not trimmed: it is appended to the conversation as it is written.
            reflection_prompt: z
              .string({ error: 'Write the prompt of the reflection.' })
              .refine((text) => text.trim() !== '', { error: 'Write the prompt of the reflection.' })
              .describe('Prompt after the first answer.'),
          },
          { error: 'Write `config` with a `reflection_prompt`.' },
        )
        .describe('Prompt of the reflection.'),
    },
    { error: 'Write a mapping with `type: reflection` and a `config`.' },
  )
  .nullish()
  .describe('A second request, in which the model reflects on its own answer.');

const skillName = required('Write the name of a skill.');
const Skills = z
  .object(
    {
      enabled: z.boolean({ error: 'Write `true` or `false`.' }).default(false).describe('Lets the agent use skills.'),
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
        .describe('Skills that the agent may use; all if empty.'),
    },
    { error: 'Write a mapping such as `enabled: true`.' },
  )
  .nullish()
  .describe('Skills: folders with instructions that the model may read.');

/** Configuration of an `agent` node. */
export const AgentConfig = z.object({
  ...modelFields,
  role: z.string({ error: 'Write the system prompt as text.' }).nullish().describe('The system prompt.'),
  params: z
    .record(z.string(), z.unknown(), { error: 'Write a mapping, such as `temperature: 0.2`.' })
    .nullish()
    .describe(
      'Parameters of the model, which are sent as written; null sends none. timeout, stream, max_tokens, effort, tier, roles, tool_choice and tool_loop_limit mean the same for all providers; protocol is chat or responses.',
    ),
  input_mode: z
    .string({ error: 'Write `messages` or `prompt`.' })
    .toLowerCase()
    .pipe(z.enum(['messages', 'prompt'], { error: 'Write `messages` or `prompt`.' }))
    .default('messages')
    .describe('messages sends the input messages; prompt sends them as one text with a headline for each message.'),
  output: OutputConfig,
  tooling: Tooling,
  context: ContextConfig,
  thinking: Thinking,
  memories: Memories,
  skills: Skills,
  handoffs: z
    .array(required('Write the id of a node, or a name such as `user`.'), { error: 'Write a list of names.' })
    .nullish()
    .describe('Targets of handoffs: nodes of the graph, or names of others outside such as user.'),
  signals: z
    .array(z.enum(['stop'], { error: 'Write `stop`.' }), { error: 'Write a list, such as `signals: [stop]`.' })
    .nullish()
    .describe('stop: the agent may request the end.'),
  rate_limit: RateLimit.nullish().describe('Rate limit of this agent for its model, per minute, over all its runs.'),
  fallback: FallbackConfig,
  cache: CacheConfig,
  on_incomplete: OnIncomplete,
  on_tool_limit: z
    .enum(['answer', 'accept', 'fail'], { error: 'Write `answer`, `accept` or `fail`.' })
    .nullish()
    .describe(
      'What happens when the model still calls tools after `tool_loop_limit` rounds: answer asks once more without tools (the default), accept takes the text of the last reply, fail fails.',
    ),
  retry: RetryConfig.nullish().describe('When a failed call is repeated.'),
});

/** A parsed configuration of an agent. */
export type AgentConfig = z.infer<typeof AgentConfig>;
