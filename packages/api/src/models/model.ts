import type { ModelLookup } from '@millrace/core';
import { omitUndefined, onOwnHost, Price } from '@millrace/core';
import { z } from 'zod';

/** A model as responses have it. */
export const Model = z
  .object({
    name: z.string(),
    context: z.number().optional().describe('Tokens of a prompt and its answer together.'),
    output: z.number().optional().describe('Tokens of an answer.'),
    temperature: z.string().optional().describe('`yes`, `no`, or `with_effort_none`: only while it does not reason.'),
    effort: z.array(z.string()).optional().describe('Words for the effort of reasoning that the model accepts.'),
    toolChoice: z.string().optional().describe('`forced`: requests may demand a call of a tool; `auto`: they may not.'),
    retires: z.string().nullable().describe('Date on which the vendor turns the model off; null: none is known.'),
    replacement: z.string().optional().describe('Model that the vendor recommends instead.'),
    price: Price.optional().describe('Price in US dollars per million tokens.'),
    rates: z.string().optional().describe('Source of the price: `operator`, or `list` with its date.'),
  })
  .meta({ id: 'Model' });
/** Model as responses have it. */
export type Model = z.output<typeof Model>;

/** Returns what is known of all models on the own hosts of their vendors, by their names. */
export const modelRows = (lookup: ModelLookup): readonly Model[] =>
  lookup.names().map((name) => {
    const asked = onOwnHost(name);
    const { context, output, temperature, effort, tool_choice, retires, replacement } = lookup.profile(asked);
    const found = lookup.price(asked);
    return omitUndefined({
      name,
      context,
      output,
      temperature,
      effort: effort && [...effort],
      toolChoice: tool_choice,
      retires: retires ?? null,
      replacement,
      price: found?.price,
      rates: found?.rates,
    });
  });

const Value = z.union([z.string(), z.number()]);

/** The difference that an update makes to a model. */
export const ModelChange = z
  .object({
    model: z.string(),
    type: z.enum(['new', 'changed', 'vanished']),
    fields: z
      .array(z.object({ field: z.string(), before: Value.optional(), after: Value.optional() }))
      .describe('Fields that change, such as `price.input`.'),
    isDrop: z
      .boolean()
      .describe('The model vanishes, costs less than half, or can do much less, at once or in several updates.'),
  })
  .meta({ id: 'ModelChange' });
