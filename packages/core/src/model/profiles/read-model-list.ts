import { z } from 'zod';
import { describeIssues } from '../text/schema-issues.ts';
import { Price } from '../usage/price.ts';
import { ListedModel, ListedName, listedVendors, ModelList, mostListedModels } from './model-list.ts';
import { ModelTable } from './model-table.ts';

/** A list that was read, with what was left out of it, in sentences. */
export interface ReadModelList {
  readonly list: ModelList;
  readonly leftOut: readonly string[];
}

/** Reads a list of models: the JSON of models.dev, or a table of Millrace. Returns the problem of any other value. */
export function readModelList(
  value: unknown,
  origin: { readonly source: string; readonly today: string },
): ReadModelList | { readonly problem: string } {
  const own = ownForm.safeParse(value);
  const read = own.success ? readTable(value, origin) : readModelsDev(value, origin);
  if ('problem' in read) return read;
  const checked = ModelList.safeParse(read.list);
  return checked.success ? { ...read, list: checked.data } : { problem: describeIssues(checked.error.issues) };
}

type Origin = Parameters<typeof readModelList>[1];

/** Our own form has models at its top, models.dev has vendors there. */
const ownForm = z.looseObject({ models: z.record(z.string(), z.unknown()) });

function readTable(value: unknown, { source, today }: Origin): ReturnType<typeof readModelList> {
  const table = ModelTable.safeParse(value);
  if (!table.success) return { problem: describeIssues(table.error.issues) };
  const { dated = today, models = {}, hosts, families } = table.data;
  const unused = new Set<string>([...(hosts ? ['hosts'] : []), ...(families ? ['families'] : [])]);
  const listed = Object.entries(models).map(([name, row]): [string, ListedModel] => {
    for (const field of Object.keys(row)) if (!Object.hasOwn(ListedModel.shape, field)) unused.add(field);
    return [name, z.object(ListedModel.shape).parse(row)];
  });
  const leftOut = unused.size === 0 ? [] : [`An update does not take ${[...unused].join(', ')}; MILLRACE_MODELS does.`];
  return { list: { source, dated, models: Object.fromEntries(listed) }, leftOut };
}

const rate = Price.shape.input;
const rates = {
  input: rate,
  output: rate,
  reasoning: rate.optional(),
  cache_read: rate.optional(),
  cache_write: rate.optional(),
  input_audio: rate.optional(),
  output_audio: rate.optional(),
};
const DevRates = z.object(rates);
type DevRates = z.infer<typeof DevRates>;
const DevCost = z.looseObject({
  ...rates,
  tiers: z
    .array(z.object({ ...rates, tier: z.object({ type: z.string(), size: z.int().min(1) }) }))
    .max(20)
    .optional(),
  context_over_200k: DevRates.optional(),
});
const tokens = z.int().min(0).optional();
const DevModel = z.looseObject({
  temperature: z.boolean().optional(),
  status: z.string().optional(),
  reasoning_options: z
    .array(z.looseObject({ type: z.string(), values: z.array(z.string().max(40).nullable()).max(20).optional() }))
    .max(20)
    .nullish(),
  limit: z.object({ context: tokens, input: tokens, output: tokens }).optional(),
  cost: DevCost.optional(),
  experimental: z
    .looseObject({
      modes: z
        .record(
          z.string(),
          z.looseObject({
            cost: DevRates.optional(),
            provider: z
              .looseObject({ body: z.looseObject({ service_tier: z.unknown().optional() }).optional() })
              .optional(),
          }),
        )
        .optional(),
    })
    .nullish(),
});
type DevModel = z.infer<typeof DevModel>;
const DevFeed = z.record(z.string(), z.unknown());
const DevVendor = z.looseObject({ models: z.record(z.string(), z.unknown()) });

/** Most sentences about models that cannot be read. */
const mostReported = 20;

function readModelsDev(value: unknown, { source, today }: Origin): ReturnType<typeof readModelList> {
  const feed = DevFeed.safeParse(value);
  if (!feed.success) return { problem: 'This is no list of models: it must be an object with the vendors of models.' };
  const read = listedVendors.map((vendor) => readVendor(vendor, feed.data[vendor]));
  const models = new Map(read.flatMap((one) => [...one.models]));
  const leftOut = read.flatMap((one) => one.leftOut);
  if (models.size === 0) return { problem: `This is no list of models of ${listedVendors.join(', ')}.` };
  if (models.size > mostListedModels) return { problem: `The list has more than ${mostListedModels} models.` };
  const shown = leftOut.slice(0, mostReported);
  const more = leftOut.length - shown.length;
  return {
    list: { source, dated: today, models: Object.fromEntries(models) },
    leftOut: more === 0 ? shown : [...shown, `and ${more} more.`],
  };
}

function readVendor(vendor: string, value: unknown) {
  const models = new Map<string, ListedModel>();
  const entry = DevVendor.safeParse(value);
  if (!entry.success) return { models, leftOut: [`The list has no models of ${vendor}.`] };
  const leftOut = Object.entries(entry.data.models).flatMap(([name, row]) => {
    const read = readDevModel(name, row);
    if ('problem' in read) return [`${vendor} ${name.slice(0, 60)}: ${read.problem}`];
    models.set(name, { vendor, ...read.model });
    return read.notes.map((note) => `${name}: ${note}`);
  });
  return { models, leftOut };
}

type ReadRow = { readonly model: ListedModel; readonly notes: readonly string[] } | { readonly problem: string };

function readDevModel(name: string, row: unknown): ReadRow {
  if (!ListedName.safeParse(name).success) return { problem: 'this is no name of a model.' };
  const read = DevModel.safeParse(row);
  if (!read.success) return { problem: `cannot be read: ${describeIssues(read.error.issues)}.` };
  const { cost, limit = {}, temperature, status } = read.data;
  const unknown = Object.keys(cost ?? {}).filter((key) => !Object.hasOwn(DevCost.shape, key));
  const isFree = cost !== undefined && cost.input === 0;
  const effort = effortOf(read.data);
  const model: ListedModel = {
    ...positive('context', limit.context),
    ...positive('input_limit', limit.input),
    ...positive('output', limit.output),
    ...(temperature === undefined ? {} : { temperature: temperature ? 'yes' : 'no' }),
    ...(effort.length === 0 ? {} : { effort }),
    ...(cost === undefined || isFree ? {} : { price: priceOf(cost, read.data) }),
  };
  const notes = [
    ...(isFree ? ['a price of 0 is not taken, because no budget would count it.'] : []),
    ...(unknown.length > 0
      ? [`parts of its cost are not known: ${unknown.slice(0, 5).join(', ').slice(0, 200)}.`]
      : []),
    ...(status === 'deprecated' ? ['its vendor has announced its end.'] : []),
  ];
  return { model, notes };
}

const positive = <Name extends string>(name: Name, value: number | undefined): { [Key in Name]?: number } =>
  value === undefined || value === 0 ? {} : ({ [name]: value } as { [Key in Name]?: number }); // the only key

const effortOf = ({ reasoning_options: options }: DevModel): string[] =>
  (options ?? [])
    .flatMap(({ type, values }) => (type === 'effort' ? (values ?? []) : []))
    .filter((word) => word !== null);

function priceOf(cost: z.infer<typeof DevCost>, { experimental }: DevModel): Price {
  const long = longOf(cost);
  const tiers = Object.values(experimental?.modes ?? {}).flatMap(({ cost: ofMode, provider }): [string, number][] => {
    const tier = provider?.body?.service_tier;
    return typeof tier === 'string' && ofMode !== undefined && cost.output > 0
      ? [[tier, rounded(Math.max(ofMode.input / cost.input, ofMode.output / cost.output))]]
      : [];
  });
  return {
    ...ratesOf(cost),
    ...(long === undefined ? {} : { long }),
    ...(tiers.length === 0 ? {} : { tiers: Object.fromEntries(tiers) }),
  };
}

/** Returns the prices of long prompts: from the lowest threshold on, the dearest of all. */
function longOf({ tiers = [], context_over_200k: over }: z.infer<typeof DevCost>): Price['long'] {
  const long = tiers.filter(({ tier }) => tier.type === 'context');
  if (long.length === 0) return over && { above: 200_000, ...ratesOf(over) };
  const dearest: Record<string, number> = {};
  for (const tier of long) {
    for (const [name, value] of Object.entries(ratesOf(tier))) dearest[name] = Math.max(dearest[name] ?? 0, value);
  }
  const { input = 0, output = 0, ...others } = dearest;
  return { above: Math.min(...long.map(({ tier }) => tier.size)), input, output, ...others };
}

const ratesOf = (cost: DevRates) => ({
  input: cost.input,
  output: Math.max(cost.output, cost.reasoning ?? 0),
  ...(cost.cache_read === undefined ? {} : { cached_input: cost.cache_read }),
  ...(cost.cache_write === undefined ? {} : { cache_write: cost.cache_write }),
  ...(cost.input_audio === undefined ? {} : { audio_input: cost.input_audio }),
  ...(cost.output_audio === undefined ? {} : { audio_output: cost.output_audio }),
});

const rounded = (value: number): number => Number(value.toPrecision(12));
