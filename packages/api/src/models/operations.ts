import { omitUndefined, Price } from '@millrace/core';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';

const Model = z
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

export const listModels = operation({
  name: 'models.list',
  method: 'GET',
  path: '/v1/models',
  cli: 'models',
  scope: 'read',
  summary: 'What the server knows of models: limits, capabilities, prices and retirements',
  output: z.object({ data: z.array(Model) }),
  async run({ vocabulary }) {
    const lookup = vocabulary.models();
    const data = lookup.names().map((name): z.output<typeof Model> => {
      const asked = { provider: providerOf(name), model: name };
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
    return { body: { data } };
  },
});

/** Returns the provider on whose host a model of this name is. */
const providerOf = (name: string): string =>
  name.startsWith('claude') ? 'anthropic' : name.startsWith('gemini') ? 'gemini' : 'openai';
