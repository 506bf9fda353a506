import type { Price, Prices } from '../usage/price.ts';
import type { Capabilities, ModelFamily, ModelHost, ModelRow, ModelTable } from './model-table.ts';

/** A model as a request names it. */
export interface AskedModel {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string | undefined;
}

/** A table of models, by who wrote it: the operator, or a list that was collected. */
export interface ModelSource {
  readonly origin: 'operator' | 'list';
  readonly table: ModelTable;
}

/** What is known of a model on a host. An absent field is unknown. */
export interface ModelProfile extends Omit<Capabilities, 'vendor'>, Omit<ModelRow, keyof Capabilities | 'price'> {
  /** The table has a row for the model, or a family that matches its name. */
  readonly known: boolean;
  /** Vendor of the host; absent: the host belongs to somebody else. */
  readonly host?: string;
  /** The host is the own one of the model's vendor: list prices and retirements are those of this host. */
  readonly ownHost: boolean;
  readonly regional?: boolean | undefined;
  readonly reports_cost?: boolean | undefined;
}

/** A price with its origin. */
export interface FoundPrice {
  readonly price: Price;
  /** `graph`, `operator`, `list` with its date, or `assumed`: a list price on a host that is not the vendor's. */
  readonly rates: string;
}

/** Facts about models from all tables. */
export interface ModelLookup {
  /** Returns what is known of a model on its host. */
  profile(asked: AskedModel): ModelProfile;
  /** Returns the price of a model; the prices of the graph come first. */
  price(asked: AskedModel, ofGraph?: Prices): FoundPrice | undefined;
  /** Names of all models that have a row, sorted. */
  names(): readonly string[];
}

/** Tables of an installation, of which one is updated while processes use them. */
export interface ModelTables {
  /** Returns what all tables say. */
  lookup(): ModelLookup;
  /** Returns what lists say, without the tables of the operator; with another table of the installation, if one is given. */
  listed(installation?: ModelTable): ModelLookup;
  /** Uses a table of the installation from now on; undefined: it has none. */
  install(table: ModelTable | undefined): void;
}

/** Number of profiles that a lookup remembers. */
const mostProfiles = 1000;

/** Merges tables field by field: the first table that has a field wins. A price is one field. */
export function createModelLookup(sources: readonly ModelSource[]): ModelLookup {
  const tables = sources.map(({ table }) => table);
  const lists = sources.map(({ origin, table }) => ({ origin, dated: table.dated, rows: rowsByName(table) }));
  const families = mergedEntries(tables.map((table) => table.families ?? {}));
  const patterns = Object.entries(families).flatMap(([name, { match }]) =>
    match === undefined ? [] : [{ name, match: new RegExp(match) }],
  );
  const hosts = Object.entries(mergedEntries(tables.map((table) => table.hosts ?? {})))
    .sort(([a], [b]) => specificity(b) - specificity(a))
    .map(([name, host]) => ({ match: hostPattern(name), host }));
  const hostOf = ({ provider, baseUrl }: AskedModel): ModelHost => {
    const name = baseUrl === undefined ? (vendorHosts.get(provider) ?? '') : hostName(baseUrl);
    return hosts.find(({ match }) => match.test(name))?.host ?? {};
  };
  const rowOf = (names: readonly string[]): ModelRow | undefined => {
    const found = lists.flatMap(({ rows }) => firstOf(names, (name) => rows.get(name)) ?? []);
    return found.length === 0 ? undefined : merged(found);
  };
  const familyOf = (name: string, row: ModelRow | undefined): ModelFamily | undefined => {
    const family = row?.family ?? patterns.find(({ match }) => match.test(name))?.name;
    return family !== undefined && Object.hasOwn(families, family) ? families[family] : undefined;
  };

  /** Profiles that were asked for: calls of a model ask for the same one several times. */
  const profiles = new Map<string, ModelProfile>();

  function profileOf(asked: AskedModel): ModelProfile {
    const name = JSON.stringify([asked.provider, asked.model, asked.baseUrl]);
    const known = profiles.get(name);
    if (known !== undefined) return known;
    if (profiles.size >= mostProfiles) profiles.clear();
    const profile = newProfileOf(asked);
    profiles.set(name, profile);
    return profile;
  }

  function newProfileOf(asked: AskedModel): ModelProfile {
    const { vendor: hostVendor, ...host } = hostOf(asked);
    const names = namesOf(asked.model);
    const bare = asked.model.slice(asked.model.lastIndexOf('/') + 1);
    const exact = rowOf(names);
    const row = exact ?? withoutTerms(rowOf(namesOf(bare)));
    const family = familyOf(bare, row);
    const { match: _match, ...familyFacts } = family ?? {};
    const { price: _price, ...rowFacts } = row ?? {};
    const { vendor, ...facts } = { ...familyFacts, ...rowFacts };
    return {
      ...host,
      ...facts,
      known: row !== undefined || family !== undefined,
      ...(hostVendor === undefined ? {} : { host: hostVendor }),
      ownHost: hostVendor !== undefined && hostVendor === vendor,
    };
  }

  /** Returns the price that the first table has for exactly this name. */
  function listed(asked: AskedModel, name: string): FoundPrice | undefined {
    for (const { origin, dated, rows } of lists) {
      const price = rows.get(name)?.price;
      if (price === undefined) continue;
      if (origin === 'operator') return { price, rates: 'operator' };
      return { price, rates: profileOf(asked).ownHost ? `list ${dated ?? ''}`.trim() : 'assumed' };
    }
    return undefined;
  }

  return {
    profile: profileOf,
    price(asked, ofGraph = {}) {
      const names = namesOf(asked.model);
      const own = firstOf(names, (name) => (Object.hasOwn(ofGraph, name) ? ofGraph[name] : undefined));
      if (own !== undefined) return { price: own, rates: 'graph' };
      return firstOf(names, (name) => listed(asked, name));
    },
    names: () => [...new Set(tables.flatMap(({ models = {} }) => Object.keys(models)))].sort(),
  };
}

/** Own hosts of the vendors, where requests without an address go. */
const vendorHosts: ReadonlyMap<string, string> = new Map([
  ['openai', 'api.openai.com'],
  ['anthropic', 'api.anthropic.com'],
  ['gemini', 'generativelanguage.googleapis.com'],
]);

const hostName = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

/** Names without `*` come first, then the longest ones. */
const specificity = (name: string): number => (name.includes('*') ? name.length : Number.MAX_SAFE_INTEGER);

const hostPattern = (name: string): RegExp =>
  new RegExp(`^${name.replaceAll(/[.\\+?^${}()|[\]]/g, '\\$&').replaceAll('*', '.*')}$`);

/** Suffixes of names of model versions that have the model's price: `-2024-08-06`, `-20250929`, `-latest`. */
const version = /-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$/;

/** Returns the names under which a table may have a model: its own, and the one without its version. */
function namesOf(model: string): readonly string[] {
  // Google names the same model `models/gemini-…`.
  const name = model.replace(/^models\//, '');
  return [...new Set([name, name.replace(version, '')])];
}

function rowsByName({ models = {} }: ModelTable): ReadonlyMap<string, ModelRow> {
  const aliases = Object.values(models).flatMap((row) => (row.aliases ?? []).map((name) => [name, row] as const));
  return new Map([...aliases, ...Object.entries(models)]);
}

/** Returns a row without what only the vendor's own name promises: another host has its own prices and dates. */
function withoutTerms(row: ModelRow | undefined): ModelRow | undefined {
  if (row === undefined) return undefined;
  const { price: _price, retires: _retires, replacement: _replacement, routes_to: _routes, ...capabilities } = row;
  return capabilities;
}

function firstOf<In, Out>(values: readonly In[], find: (value: In) => Out | undefined): Out | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Merges records of records. Keys that only the first tables have precede those of the last table. */
function mergedEntries<T extends object>(records: readonly Readonly<Record<string, T>>[]): Readonly<Record<string, T>> {
  const last = new Set(Object.keys(records.at(-1) ?? {}));
  const added = records.flatMap((record) => Object.keys(record)).filter((key) => !last.has(key));
  const entries = [...new Set([...added, ...last])].map((key): [string, T] => [
    key,
    merged(records.flatMap((record) => (Object.hasOwn(record, key) ? (record[key] ?? []) : []))),
  ]);
  return Object.fromEntries(entries);
}

/** Merges objects: the first one that has a field wins. */
const merged = <T extends object>(first: readonly T[]): T => Object.assign({}, ...[...first].reverse());
