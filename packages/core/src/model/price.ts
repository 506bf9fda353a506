import { z } from 'zod';

const rate = z
  .number({ error: 'Write a price in US dollars per million tokens.' })
  .min(0, { error: 'Write 0 or more.' });

const rates = {
  input: rate.describe('US dollars per million tokens of the prompt.'),
  cached_input: rate.optional().describe('The same for those that the provider had cached; left out: as `input`.'),
  output: rate.describe('US dollars per million tokens of the answer.'),
};

/** What a model costs. A US dollar for a million tokens is a micro-dollar for one, which is what we count in. */
export const Price = z.strictObject({
  ...rates,
  long: z
    .strictObject({ above: z.int().min(1).describe('Tokens of the prompt above which these prices count.'), ...rates })
    .optional()
    .describe('Other prices for long prompts.'),
});
export type Price = z.infer<typeof Price>;

/** Prices by the name of the model. */
export const Prices = z.record(z.string(), Price);
export type Prices = z.infer<typeof Prices>;

/** What these tokens cost in whole micro-dollars, rounded up. */
export function costOf(price: Price, { promptTokens, completionTokens, cachedTokens = 0 }: Usage): number {
  const {
    input,
    cached_input = input,
    output,
  } = price.long !== undefined && promptTokens > price.long.above ? price.long : price;
  const cached = Math.min(cachedTokens, promptTokens);
  // Prices have few decimals, which binary fractions do not meet: without this, 0.1 × 3 would be rounded up from 0.3…04.
  const exact = (promptTokens - cached) * input + cached * cached_input + completionTokens * output;
  return Math.ceil(Number(exact.toFixed(6)));
}

/** Ends of names that stand for a version of a model at the model's price: `-2024-08-06`, `-20250929`, `-latest`. */
const version = /-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$/;

/** The price of a model, by its name or by that of the model that it is a version of; the first table wins. */
export function priceOf(model: string, tables: readonly Prices[]): Price | undefined {
  for (const name of [model, model.replace(version, '')]) {
    const found = tables.find((table) => Object.hasOwn(table, name))?.[name];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Tokens as the provider counted them. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
  /** What they cost, in millionths of a US dollar; absent when the price is not known. */
  readonly microUsd?: number;
}
