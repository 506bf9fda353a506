import { singleLine } from '@millrace/core';
import { z } from 'zod';

const share = { error: 'Write a share of the context between 0 and 1, such as 0.7.' };
const rounds = { error: 'Write a number of rounds of at least 1.' };

/** Model that summarises a conversation; what is left out is that of the agent. */
const Summarizer = z
  .object(
    {
      name: z
        .string({ error: 'Write the name of the model.' })
        .trim()
        .min(1, { error: 'Write the name of the model.' })
        .regex(singleLine)
        .describe('Name of the model at its provider.'),
      provider: z
        .string({ error: 'Write the provider, such as `provider: openai`.' })
        .trim()
        .min(1, { error: 'Write the provider, such as `provider: openai`.' })
        .regex(singleLine)
        .nullish()
        .describe(
          'Provider of the model; with another one than that of the agent, `base_url` and `api_key` are its own.',
        ),
      base_url: z.string({ error: 'Write a URL.' }).regex(singleLine).nullish().describe('URL of the API.'),
      api_key: z
        .string({ error: 'Write a text, best a variable such as `api_key: ${API_KEY}`.' })
        .regex(singleLine)
        .nullish()
        .describe('API key.'),
      params: z
        .record(z.string(), z.unknown(), { error: 'Write a mapping, such as `max_tokens: 2000`.' })
        .nullish()
        .describe('Parameters of the model; those of the agent are not sent to it.'),
    },
    { error: 'Write a mapping with the `name` of a model.' },
  )
  .nullish()
  .describe('Model that summarises; the model of the agent if omitted.');

const Fields = z.object(
  {
    max: z
      .number(share)
      .gt(0, share)
      .max(1, share)
      .default(0.7)
      .describe('Share of the context of the model above which the conversation is shortened.'),
    keep_rounds: z.int(rounds).min(1, rounds).default(4).describe('Newest rounds of tool calls that stay as they are.'),
    clear: z
      .enum(['tool_results', 'none'], { error: 'Write `tool_results` or `none`.' })
      .default('tool_results')
      .describe(
        'tool_results replaces the oldest results of tools by one line each, with the name of the tool and the size of its result; none leaves them.',
      ),
    // biome-ignore lint/suspicious/noThenProperty: a word, not a function
    then: z
      .enum(['fail', 'summarize'], { error: 'Write `fail` or `summarize`.' })
      .default('fail')
      .describe(
        'What happens when that is not enough: fail fails with MODEL_CONTEXT_FULL when the conversation no longer fits; summarize replaces the older rounds by a summary, which is one more call.',
      ),
    summarizer: Summarizer,
  },
  { error: 'Write a mapping, such as `max: 0.7`.' },
);

/** The `context` of an agent: how its conversation with tools is kept within the context of the model. */
export const ContextConfig = Fields.nullish().describe(
  'How a conversation with tools is kept within the context of the model. Without it, these are the defaults, except in workflows for ChatDev, whose conversations stay whole.',
);

/** A parsed `context`. */
export type ContextConfig = z.infer<typeof Fields>;

/** Returns what an agent wrote, or the defaults; undefined: its conversation stays whole. */
export function contextOf(written: ContextConfig | null | undefined, compat: boolean): ContextConfig | undefined {
  return written ?? (compat ? undefined : Fields.parse({}));
}
