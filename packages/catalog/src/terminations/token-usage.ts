import type { TokenCounts } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { conditionMessageFilter } from './message-filter.ts';

const limit = (described: string) =>
  z
    .int({ error: 'Write a whole number of tokens.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .optional()
    .describe(described);

/** Configuration of a `token_usage` condition. */
export const TokenUsageConfig = z
  .object({
    max_total: limit('Tokens in all.'),
    max_prompt: limit('Tokens of prompts.'),
    max_completion: limit('Tokens of answers.'),
    max_total_token: limit('Another spelling of max_total.'),
    max_prompt_token: limit('Another spelling of max_prompt.'),
    max_completion_token: limit('Another spelling of max_completion.'),
    include_nested: z
      .boolean({ error: 'Write `true` or `false`.' })
      .default(true)
      .describe('Counts the graphs that nodes run, too.'),
  })
  .transform((written) => {
    const total = written.max_total ?? written.max_total_token;
    const prompt = written.max_prompt ?? written.max_prompt_token;
    const completion = written.max_completion ?? written.max_completion_token;
    return {
      ...(total === undefined ? {} : { max_total: total }),
      ...(prompt === undefined ? {} : { max_prompt: prompt }),
      ...(completion === undefined ? {} : { max_completion: completion }),
      include_nested: written.include_nested,
    };
  })
  .refine(({ max_total, max_prompt, max_completion }) => (max_total ?? max_prompt ?? max_completion) !== undefined, {
    error: 'Write at least one of max_total, max_prompt and max_completion.',
  });

/** Condition that counts tokens of model calls. */
export const tokenUsage = defineTermination({
  type: 'token_usage',
  summary: 'Satisfied when model calls have used this number of tokens.',
  config: TokenUsageConfig,
  messageFilter: ({ include_nested }) => conditionMessageFilter({ include_nested }),
  observe({ include_nested: nested }, { tokens, nested: isNested }) {
    return (isNested && !nested) || tokens.prompt + tokens.completion === 0 ? undefined : tokens;
  },
  step(config, state: TokenCounts | undefined, { observed }: { observed?: TokenCounts }) {
    const prompt = (state?.prompt ?? 0) + (observed?.prompt ?? 0);
    const completion = (state?.completion ?? 0) + (observed?.completion ?? 0);
    const total = prompt + completion;
    const reached = (count: number, max: number | undefined) => max !== undefined && count >= max;
    const next = observed === undefined ? state : { prompt, completion };
    const stepped = { type: 'stepped' as const, ...(next === undefined ? {} : { state: next }) };
    const isMet =
      reached(total, config.max_total) ||
      reached(prompt, config.max_prompt) ||
      reached(completion, config.max_completion);
    if (!isMet) return stepped;
    return { ...stepped, reason: `token_usage: total ${total}, prompt ${prompt}, completion ${completion}` };
  },
});
