import { z } from 'zod';
import { singleLine } from '../text/field-patterns.ts';
import { ModelRow } from './model-table.ts';

/** Most models of one list. */
export const mostListedModels = 2000;

/** Name of a model in a list. */
export const ListedName = z
  .string()
  .regex(/^[a-z0-9][\w.:@/+-]{0,199}$/i, { error: 'Write the name of a model, such as gpt-6-sol.' });

/**
 * Facts about one model that an updated list may change: never how requests are made, because a wrong list must not stop
 * workflows.
 */
export const ListedModel = ModelRow.pick({
  vendor: true,
  context: true,
  input_limit: true,
  output: true,
  temperature: true,
  effort: true,
  retires: true,
  replacement: true,
  routes_to: true,
  price: true,
});
export type ListedModel = z.infer<typeof ListedModel>;

/** A list of models that was collected elsewhere. */
export const ModelList = z.strictObject({
  source: z.string().min(1).max(2000).regex(singleLine).describe('Address or file of the list.'),
  dated: z.iso.date({ error: 'Write a date, such as 2026-11-26.' }).describe('Date of the list.'),
  models: z
    .record(ListedName, ListedModel)
    .refine((models) => Object.keys(models).length <= mostListedModels, {
      error: `A list has at most ${mostListedModels} models.`,
    })
    .describe('Models by exact name.'),
});
export type ModelList = z.infer<typeof ModelList>;

/** Vendors whose models a list is read for, with the provider and the address of their own hosts. */
const vendors: Readonly<Record<string, { readonly provider: string; readonly baseUrl?: string }>> = {
  openai: { provider: 'openai' },
  anthropic: { provider: 'anthropic' },
  google: { provider: 'gemini' },
  deepseek: { provider: 'openai', baseUrl: 'https://api.deepseek.com/v1' },
};

/** Names of the vendors whose models are read. */
export const listedVendors: readonly string[] = Object.keys(vendors);

const vendorOf = (model: string): string => {
  if (model.startsWith('claude')) return 'anthropic';
  if (model.startsWith('gemini')) return 'google';
  return model.startsWith('deepseek') ? 'deepseek' : 'openai';
};

/** Returns how a model is asked on the own host of its vendor; the name tells the vendor if it is not given. */
export function onOwnHost(
  model: string,
  vendor?: string,
): { readonly provider: string; readonly model: string; readonly baseUrl?: string } {
  const known = vendor !== undefined && Object.hasOwn(vendors, vendor) ? vendors[vendor] : undefined;
  return { model, ...(known ?? vendors[vendorOf(model)] ?? { provider: 'openai' }) };
}
