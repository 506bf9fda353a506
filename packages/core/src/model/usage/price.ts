import { z } from 'zod';
import { singleLine } from '../text/field-patterns.ts';

/** Largest price in US dollars per million tokens; costs are counted exactly up to it. */
const dearest = 1_000_000;

const rate = z
  .number({ error: 'Write a price in US dollars per million tokens.' })
  .min(0, { error: 'Write 0 or more.' })
  .max(dearest, { error: `Write at most ${dearest}.` });

const rates = {
  input: rate.describe('US dollars per million tokens of the prompt.'),
  cached_input: rate.optional().describe('US dollars per million cached tokens of the prompt; as `input` if omitted.'),
  cache_write: rate
    .optional()
    .describe(
      'US dollars per million tokens that the provider adds to its cache; if omitted, 1.25 × `input` on the APIs of Anthropic and OpenAI, and as `input` on others.',
    ),
  cache_write_long: rate
    .optional()
    .describe(
      'The same for tokens that the provider keeps for hours; if omitted, 2 × `input` for Anthropic, 2.5 × for OpenAI.',
    ),
  audio_input: rate.optional().describe('US dollars per million tokens of recordings; as `input` if omitted.'),
  image_input: rate.optional().describe('US dollars per million tokens of images; as `input` if omitted.'),
  output: rate.describe('US dollars per million tokens of the answer.'),
  audio_output: rate.optional().describe('US dollars per million tokens of spoken answers; as `output` if omitted.'),
  image_output: rate.optional().describe('US dollars per million tokens of drawn answers; as `output` if omitted.'),
};

const factor = z
  .number({ error: 'Write a factor, such as 0.5.' })
  .min(0, { error: 'Write 0 or more.' })
  .max(1000, { error: 'Write at most 1000.' });

/**
 * Price of a model, in US dollars per million tokens. That is the same number in micro-dollars per token, which the
 * engine counts in.
 */
export const Price = z.strictObject({
  ...rates,
  long: z
    .strictObject({
      above: z.int().min(1).describe('Number of prompt tokens above which these prices apply.'),
      ...rates,
    })
    .optional()
    .describe('Other prices for long prompts.'),
  tiers: z
    .record(z.string(), factor)
    .optional()
    .describe('Factors of all token prices by the service tier, such as `{flex: 0.5, priority: 2}`.'),
  regional: factor.optional().describe('Factor of all token prices where the data stay in a region.'),
  web_search: rate.optional().describe('US dollars per thousand searches of the provider.'),
  source: z.string().regex(singleLine).optional().describe('Page that states the price.'),
  seen: z.iso.date({ error: 'Write a date, such as 2026-11-26.' }).optional().describe('Date of that page.'),
});
export type Price = z.infer<typeof Price>;

/** Prices by the name of the model. */
export const Prices = z.record(z.string(), Price.describe('Prices of this model.'));
export type Prices = z.infer<typeof Prices>;
