import { z } from 'zod';
import type { Prices } from '../usage/price.ts';
import { Price } from '../usage/price.ts';

const date = z.iso.date({ error: 'Write a date, such as 2026-11-26.' });
const tokens = z.int({ error: 'Write a number of tokens.' }).min(1, { error: 'Write 1 or more.' });
const pattern = z.string().refine(isPattern, { error: 'Write a regular expression, such as ^gpt-6.' });

/** What a model accepts in a request, and what it sends back. An absent field is unknown. */
export const Capabilities = z.strictObject({
  vendor: z.string().optional().describe('Company whose own host serves the model at its list price.'),
  protocol: z.enum(['chat', 'responses']).optional().describe("API of OpenAI's own host on which the model is called."),
  temperature: z
    .enum(['yes', 'no', 'with_effort_none'])
    .optional()
    .describe('Whether the model accepts a temperature: `with_effort_none` accepts one while it does not reason.'),
  usual_temperature: z.number().min(0).optional().describe('Temperature that is sent if the author writes none.'),
  limit: z.string().optional().describe('Name of the param that limits the answer in chat completions.'),
  usual_limit: tokens.optional().describe('Limit of an answer where the engine has to set one.'),
  tool_choice: z
    .enum(['forced', 'auto'])
    .optional()
    .describe('`forced`: a request may demand a call of a tool; `auto`: the model refuses such requests.'),
  thinking: z
    .enum(['none', 'adaptive', 'always', 'budget'])
    .optional()
    .describe('How the model reasons before it answers.'),
  effort: z.array(z.string()).optional().describe('Words for the effort of reasoning that the model accepts.'),
  structured: z
    .enum(['native', 'tool', 'json'])
    .optional()
    .describe('The best way to an answer that matches a schema: of the API, by a tool, or by instruction.'),
  structured_with_tools: z.enum(['yes', 'no']).optional().describe('Whether such an answer and tools go together.'),
  cache: z
    .enum(['none', 'automatic', 'openai_options', 'anthropic'])
    .optional()
    .describe('How prompts are cached: not, by the provider, or as the request says.'),
  echo: z
    .enum(['encrypted', 'signature', 'reasoning_content'])
    .optional()
    .describe('What a conversation with tools must send back to the model.'),
});
export type Capabilities = z.infer<typeof Capabilities>;

/** A server by its host name: `*` stands for any part, the first match counts; the rest are defaults of its models. */
export const ModelHost = Capabilities.extend({
  regional: z.boolean().optional().describe('The data stay in a region, for which some models cost more.'),
  reports_cost: z.boolean().optional().describe('Replies contain the true cost of their request.'),
});
export type ModelHost = z.infer<typeof ModelHost>;

/** Models whose names match a pattern; they have capabilities in common, never a price. */
export const ModelFamily = Capabilities.extend({
  match: pattern.optional().describe('Regular expression for names of the models.'),
});
export type ModelFamily = z.infer<typeof ModelFamily>;

/** One model by its exact name. Its fields win over those of its family. */
export const ModelRow = Capabilities.extend({
  family: z.string().optional().describe('Name of its family, if its own name does not match.'),
  aliases: z.array(z.string()).optional().describe('Other names of the same model.'),
  context: tokens.optional().describe('Tokens of a prompt and its answer together.'),
  input_limit: tokens.optional().describe('Tokens of a prompt.'),
  output: tokens.optional().describe('Tokens of an answer.'),
  retires: date.nullable().optional().describe('Date on which the vendor turns the model off; null: none is known.'),
  replacement: z.string().optional().describe('Model that the vendor recommends instead.'),
  routes_to: z.string().optional().describe('Model that answers, and is paid for, after the retirement.'),
  verified: z
    .enum(['yes', 'no'])
    .optional()
    .describe('`no`: some facts of this model come from one source that may be wrong.'),
  price: Price.optional().describe('Price of the model.'),
});
export type ModelRow = z.infer<typeof ModelRow>;

/** Table of facts about models. Several tables are merged field by field, see {@link createModelLookup}. */
export const ModelTable = z.strictObject({
  dated: date.optional().describe('Date on which the facts were collected.'),
  hosts: z.record(z.string(), ModelHost).optional().describe('Servers by host name.'),
  families: z.record(z.string(), ModelFamily).optional().describe('Families by name; the first match counts.'),
  models: z.record(z.string(), ModelRow).optional().describe('Models by exact name.'),
});
export type ModelTable = z.infer<typeof ModelTable>;

/** Returns a table that knows only these prices. */
export const tableOfPrices = (prices: Prices): ModelTable => ({
  models: Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, { price }])),
});

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
