import { z } from 'zod';
import type { Usage } from './usage.ts';

const rate = z
  .number({ error: 'Write a price in US dollars per million tokens.' })
  .min(0, { error: 'Write 0 or more.' });

const rates = {
  input: rate.describe('US dollars per million tokens of the prompt.'),
  cached_input: rate.optional().describe('US dollars per million cached tokens of the prompt; as `input` if omitted.'),
  output: rate.describe('US dollars per million tokens of the answer.'),
};

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
});
export type Price = z.infer<typeof Price>;

/** Prices by the name of the model. */
export const Prices = z.record(z.string(), Price.describe('Prices of this model.'));
export type Prices = z.infer<typeof Prices>;

/** Returns the cost of these tokens in whole micro-dollars, rounded up. */
export function costOf(price: Price, { promptTokens, completionTokens, cachedTokens = 0 }: Usage): number {
  const {
    input,
    cached_input = input,
    output,
  } = price.long !== undefined && promptTokens > price.long.above ? price.long : price;
  const cached = Math.min(cachedTokens, promptTokens);
  // Prices have few decimals, which binary fractions cannot represent: otherwise, 0.1 × 3 would be rounded up from
  // 0.3…04.
  const exact = (promptTokens - cached) * input + cached * cached_input + completionTokens * output;
  return Math.ceil(Number(exact.toFixed(6)));
}

/** Suffixes of names of model versions that have the model's price: `-2024-08-06`, `-20250929`, `-latest`. */
const version = /-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$/;

/** Returns the price of a model, by its name or by the name without its version; the first table wins. */
export function priceOf(model: string, tables: readonly Prices[]): Price | undefined {
  for (const name of [model, model.replace(version, '')]) {
    const found = tables.find((table) => Object.hasOwn(table, name))?.[name];
    if (found !== undefined) return found;
  }
  return undefined;
}
