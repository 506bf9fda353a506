import { z } from 'zod';
import { omitUndefined } from '../omit-undefined.ts';
import { ratesOf } from '../usage/cost.ts';
import type { Price } from '../usage/price.ts';
import type { ListedModel, ModelList } from './model-list.ts';
import { onOwnHost } from './model-list.ts';
import type { ModelLookup } from './model-lookup.ts';
import { ModelTable } from './model-table.ts';

/** The difference that an update makes to one model. */
export interface ModelChange {
  readonly model: string;
  readonly type: 'new' | 'changed' | 'vanished';
  /** Fields that change; a missing value is unknown. */
  readonly fields: readonly ChangedField[];
  /**
   * The model vanishes, one of its prices or limits falls by more than half, or it accepts less: a wrong list must not empty a budget,
   * and not stop workflows. Several small steps count like a large one.
   */
  readonly isDrop: boolean;
}

/** A field of a model before and after an update, as in `price.input`. */
export interface ChangedField {
  readonly field: string;
  readonly before?: string | number;
  readonly after?: string | number;
}

/** Tables of an installation that updates change. */
export const UpdatedTables = z.strictObject({
  /** The table in use. */
  table: ModelTable,
  /** Facts of its models from which the next lists may not drop: those before the last drop that a person has accepted, if there was none. */
  floor: ModelTable,
});
export type UpdatedTables = z.infer<typeof UpdatedTables>;

/** An update: the tables that it stores, and the difference to what was known. */
export interface ModelUpdate extends UpdatedTables {
  readonly changes: readonly ModelChange[];
}

/** What is known before an update. */
export interface BeforeUpdate {
  /** What the shipped table and the last update say. */
  readonly known: ModelLookup;
  /** The same with the floor of the last update in place of its table; absent: there was no update. */
  readonly floor?: ModelLookup;
  /** Tables of the last update. */
  readonly stored?: UpdatedTables | undefined;
}

/** Compares a list with what is known from lists so far. A list that leaves out a fact does not remove it. */
export function planModelUpdate(list: ModelList, { known, floor: lowest = known, stored }: BeforeUpdate): ModelUpdate {
  const before = new Map(Object.entries(stored?.table.models ?? {}));
  const names = new Set(known.names());
  const models: Record<string, ListedModel> = {};
  const floor: Record<string, ListedModel> = {};
  const changes: ModelChange[] = [];
  for (const [model, listed] of Object.entries(list.models)) {
    const facts = factsOf(known, model, listed.vendor);
    const least = factsOf(lowest, model, listed.vendor);
    const row = merged(listed, facts, { source: list.source, seen: list.dated });
    const after = { ...before.get(model), ...row };
    models[model] = after;
    const fields = changedFields(facts, row);
    const isDrop = fields.length > 0 && (drops(facts, row) || drops(least, row));
    // What rises that far may not fall as far again.
    floor[model] = isDrop || drops({ ...least, ...after }, least) ? after : { ...after, ...listedFacts(least) };
    if (fields.length > 0) changes.push({ model, type: names.has(model) ? 'changed' : 'new', fields, isDrop });
  }
  for (const [model, row] of before) {
    if (Object.hasOwn(models, model)) continue;
    changes.push({ model, type: 'vanished', fields: changedFields(row, {}), isDrop: true });
  }
  const { dated } = list;
  return { table: { dated, models }, floor: { dated, models: floor }, changes };
}

/** What lists say of a model so far, and the provider whose rates count where a price leaves some out. */
interface KnownFacts extends ListedModel {
  readonly provider: string;
}

function factsOf(known: ModelLookup, model: string, vendor: string | undefined): KnownFacts {
  const asked = onOwnHost(model, vendor);
  const { context, input_limit, output, temperature, effort, retires, replacement, routes_to } = known.profile(asked);
  const price = known.price(asked)?.price;
  return {
    ...{ context, input_limit, output, temperature, effort, retires, replacement, routes_to, price },
    provider: asked.provider,
  };
}

const listedFacts = ({ provider: _provider, ...facts }: KnownFacts): ListedModel => omitUndefined(facts);

/** Returns the facts of a list, in the more precise words that are known. */
function merged(
  { temperature, price, ...listed }: ListedModel,
  known: KnownFacts,
  origin: Pick<Price, 'source' | 'seen'>,
): ListedModel {
  const isFiner = temperature === 'no' && known.temperature === 'with_effort_none';
  return {
    ...listed,
    ...(temperature === undefined || isFiner ? {} : { temperature }),
    ...(price === undefined ? {} : { price: { ...origin, ...mergedPrice(price, known.price) } }),
  };
}

/**
 * Returns a price with the parts that lists leave out: factors and fees as they were, and other rates in the same
 * proportion to the price of the prompt or the answer.
 */
function mergedPrice(price: Price, known: Price | undefined): Price {
  if (known === undefined) return price;
  const { tiers, regional, web_search, long } = known;
  const kept = {
    ...proportional(price, known),
    ...(regional === undefined ? {} : { regional }),
    ...(web_search === undefined ? {} : { web_search }),
    ...price,
    ...(tiers === undefined && price.tiers === undefined ? {} : { tiers: { ...tiers, ...price.tiers } }),
  };
  if (price.long === undefined || long === undefined) return kept;
  return { ...kept, long: { ...proportional(price.long, long), ...price.long } };
}

const ofInput = ['cached_input', 'cache_write', 'cache_write_long', 'audio_input', 'image_input'] as const;
const ofOutput = ['audio_output', 'image_output'] as const;
type TokenRates = Pick<Price, 'input' | 'output' | (typeof ofInput)[number] | (typeof ofOutput)[number]>;

function proportional(price: TokenRates, known: TokenRates): Partial<TokenRates> {
  const rates: { -readonly [Rate in keyof TokenRates]?: TokenRates[Rate] } = {};
  for (const name of [...ofInput, ...ofOutput]) {
    const base = ofOutput.some((other) => other === name) ? 'output' : 'input';
    const before = known[name];
    if (before === undefined || known[base] === 0) continue;
    rates[name] = Number(((before / known[base]) * price[base]).toPrecision(12));
  }
  return rates;
}

/** Returns whether a model costs or can do so much less that a person has to confirm it. */
function drops(before: KnownFacts, after: ListedModel): boolean {
  const shrinks = (['context', 'input_limit', 'output'] as const).some(
    (limit) => (after[limit] ?? Number.MAX_SAFE_INTEGER) < (before[limit] ?? 0) / 2,
  );
  const words = before.effort ?? [];
  const loses = words.filter((word) => after.effort?.includes(word) === false).length > words.length / 2;
  return shrinks || loses || (before.temperature === 'yes' && after.temperature === 'no') || falls(before, after);
}

/** Returns whether a price falls by more than half, for any kind of tokens and any length of the prompt. */
function falls({ price: before, provider }: KnownFacts, { price: after }: ListedModel): boolean {
  if (before === undefined || after === undefined) return false;
  if ((after.long?.above ?? 1) > 2 * (before.long?.above ?? Number.MAX_SAFE_INTEGER)) return true;
  const pairs = [
    [ratesOf(before, provider), ratesOf(after, provider)],
    [ratesOf(before.long ?? before, provider), ratesOf(after.long ?? after, provider)],
    [factorsOf(before), factorsOf(after)],
  ] as const;
  return pairs.some(([old, now]) =>
    Object.entries(old).some(([name, rate]) => (new Map(Object.entries(now)).get(name) ?? rate) < rate / 2),
  );
}

const factorsOf = ({ tiers, regional = 1, web_search = 0 }: Price): Readonly<Record<string, number>> => ({
  ...tiers,
  'of a region': regional,
  'of a search': web_search,
});

function changedFields(before: ListedModel, after: ListedModel): readonly ChangedField[] {
  const old = new Map(flatFields(before));
  const now = new Map(flatFields(after));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const [was, is] = [old.get(field), now.get(field)];
    // What the list does not state stays, unless the whole model vanishes.
    if (was === is || (is === undefined && now.size > 0)) return [];
    return { field, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) };
  });
}

/** Returns the fields of a model with their values, those of the price one by one. */
function flatFields({ price, effort, ...row }: ListedModel): readonly (readonly [string, string | number])[] {
  const { context, input_limit, output, temperature, retires, replacement, routes_to } = row;
  const plain = {
    context,
    input_limit,
    output,
    temperature,
    retires,
    replacement,
    routes_to,
    effort: effort?.join(', '),
  };
  return [...fieldsOf(plain), ...(price === undefined ? [] : priceFields(price))];
}

function priceFields({ long, tiers = {}, source: _source, seen: _seen, ...rates }: Price) {
  return [...fieldsOf(rates, 'price.'), ...fieldsOf(long ?? {}, 'price.long.'), ...fieldsOf(tiers, 'price.tiers.')];
}

const fieldsOf = (values: object, prefix = ''): readonly (readonly [string, string | number])[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[`${prefix}${name}`, value] as const] : [],
  );
