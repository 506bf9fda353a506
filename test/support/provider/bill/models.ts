import type { Vendor } from '../turn.ts';

/** Prices in US dollars per million tokens; web searches are per thousand. */
export interface Rates {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly writeLong: number;
  readonly output: number;
  /** Rates of a request whose prompt has more tokens: factors of the others. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
  readonly search: number;
}

/** Behaviour of a cache: what is compared, from how many tokens on, and for how many minutes it is kept. */
export interface CacheRules {
  /** `blocks`: the prefix is cut after every 128 tokens. `marks`: only breakpoints count. `latest`: marks and the end. */
  readonly compares: 'blocks' | 'marks' | 'latest';
  readonly min: number;
  readonly minutes: number;
  readonly longMinutes: number;
  /** Whether writes have their own price and are reported. */
  readonly writes: boolean;
}

/** A model as its vendor serves it: what it refuses, and what it costs. */
export interface ModelRules {
  readonly vendor: Vendor;
  readonly rates?: Rates;
  readonly cache: CacheRules;
  readonly output: number;
  readonly context: number;
  /** Words of effort that are accepted; the first of `default` holds if there is none. */
  readonly effort: readonly string[];
  readonly defaultEffort: string;
  /** Temperature and the other parameters of sampling. */
  readonly sampling: 'yes' | 'no' | 'effort none';
  /** Function tools over chat completions. */
  readonly chatTools: 'yes' | 'without effort' | 'effort none';
  readonly forcedChoice: boolean;
  readonly prefill: boolean;
  readonly thinking: { readonly budget: boolean; readonly disabled: boolean; readonly default: boolean };
  /** Answers that match a schema, in the form of the API. */
  readonly structured: 'yes' | 'no' | 'without tools';
  /** Whether signed thoughts must come back with calls. */
  readonly echo: boolean;
  /** The vendor has withdrawn the model. */
  readonly gone?: true;
  /** Model that answers in its place from a day on. */
  readonly answeredBy?: { readonly model: string; readonly from: string };
}

const minutesOfDay = 24 * 60;
const words = (list: string): readonly string[] => list.split(' ');

const plain: ModelRules = {
  vendor: 'compatible',
  cache: { compares: 'blocks', min: 1024, minutes: 10, longMinutes: minutesOfDay, writes: false },
  output: 128_000,
  context: 400_000,
  effort: [],
  defaultEffort: 'none',
  sampling: 'yes',
  chatTools: 'yes',
  forcedChoice: true,
  prefill: true,
  thinking: { budget: true, disabled: true, default: false },
  structured: 'yes',
  echo: false,
};

const gpt4: ModelRules = { ...plain, vendor: 'openai', output: 32_768, context: 1_047_576 };
const gpt5: ModelRules = {
  ...plain,
  vendor: 'openai',
  effort: words('minimal low medium high'),
  defaultEffort: 'medium',
  sampling: 'no',
  thinking: { budget: false, disabled: false, default: true },
};
const gpt54: ModelRules = {
  ...gpt5,
  effort: words('none low medium high xhigh'),
  defaultEffort: 'none',
  sampling: 'effort none',
  chatTools: 'without effort',
};
const gpt55: ModelRules = { ...gpt54, context: 1_050_000, defaultEffort: 'medium', chatTools: 'effort none' };
const gpt56: ModelRules = {
  ...gpt55,
  effort: words('none low medium high xhigh max'),
  cache: { compares: 'latest', min: 1024, minutes: 30, longMinutes: 12 * 60, writes: true },
};
const gpt61: ModelRules = { ...gpt56, effort: words('low medium high xhigh max'), sampling: 'no' };

const claude4: ModelRules = {
  ...plain,
  vendor: 'anthropic',
  cache: { compares: 'marks', min: 1024, minutes: 5, longMinutes: 60, writes: true },
  output: 64_000,
  context: 200_000,
  effort: words('low medium high'),
  structured: 'no',
};
const claude46: ModelRules = {
  ...claude4,
  output: 128_000,
  context: 1_000_000,
  effort: words('low medium high max'),
  structured: 'yes',
  prefill: false,
};
const claude47: ModelRules = {
  ...claude46,
  effort: words('low medium high xhigh max'),
  sampling: 'no',
  thinking: { budget: false, disabled: true, default: false },
};
const claude5: ModelRules = { ...claude47, thinking: { budget: false, disabled: true, default: true }, echo: true };
const claude55: ModelRules = {
  ...claude5,
  forcedChoice: false,
  thinking: { budget: false, disabled: false, default: true },
};

const gemini25: ModelRules = {
  ...plain,
  vendor: 'gemini',
  cache: { compares: 'blocks', min: 2048, minutes: 5, longMinutes: 60, writes: false },
  output: 65_536,
  context: 1_048_576,
  structured: 'without tools',
};
const gemini3: ModelRules = {
  ...gemini25,
  structured: 'yes',
  effort: words('MINIMAL LOW MEDIUM HIGH'),
  defaultEffort: 'HIGH',
  thinking: { budget: true, disabled: false, default: true },
  echo: true,
};

/** Returns rates: input, read, write, long write, output. */
const usd = (...[input, read, write, writeLong, output]: readonly [number, number, number, number, number]): Rates => ({
  input,
  read,
  write,
  writeLong,
  output,
  search: 10,
});
const over272k = { above: 272_000, input: 2, output: 1.5 };
const over200k = { above: 200_000, input: 2, output: 1.5 };
/** Returns rates without a price of writes, which cost as input. */
const unwritten = (input: number, read: number, output: number): Rates => usd(input, read, input, input, output);

/** Models by name, with the rates of their vendors' lists of November 2026. */
export const models: Readonly<Record<string, ModelRules>> = {
  'gpt-6.1-sol': { ...gpt61, rates: { ...usd(2, 0.1, 2.5, 5, 10), long: over272k } },
  'gpt-6.1-terra': { ...gpt56, rates: { ...usd(1, 0.05, 1.25, 2.5, 5), long: over272k } },
  'gpt-6-astra': { ...gpt56, rates: usd(10, 1, 12.5, 25, 50) },
  'gpt-6-sol': { ...gpt56, rates: usd(2, 0.2, 2.5, 5, 10) },
  'gpt-6-luna': { ...gpt56, rates: usd(0.1, 0.01, 0.125, 0.25, 0.5) },
  'gpt-5.6-sol': { ...gpt56, rates: usd(4, 0.4, 5, 10, 20) },
  'gpt-5.6-terra': { ...gpt56, rates: usd(2, 0.2, 2.5, 5, 12) },
  'gpt-5.6-luna': { ...gpt56, rates: usd(0.2, 0.02, 0.25, 0.5, 1.2) },
  'gpt-5.5': { ...gpt55, rates: unwritten(5, 0.5, 30) },
  'gpt-5.4': { ...gpt54, rates: unwritten(2.5, 0.25, 15) },
  'gpt-5.4-mini': { ...gpt54, rates: unwritten(0.75, 0.075, 4.5) },
  'gpt-5.4-nano': { ...gpt54, rates: unwritten(0.2, 0.02, 1.25) },
  'gpt-5.1': { ...gpt54, chatTools: 'yes', rates: unwritten(1.25, 0.125, 10) },
  'gpt-5': { ...gpt5, rates: unwritten(1.25, 0.125, 10) },
  'gpt-5-mini': { ...gpt5, rates: unwritten(0.25, 0.025, 2) },
  'gpt-5-nano': { ...gpt5, rates: unwritten(0.05, 0.005, 0.4) },
  o3: { ...gpt5, effort: words('low medium high'), rates: unwritten(2, 0.5, 8) },
  'gpt-4.1': { ...gpt4, rates: unwritten(2, 0.5, 8) },
  'gpt-4.1-mini': { ...gpt4, rates: unwritten(0.4, 0.1, 1.6) },
  'gpt-4o': { ...gpt4, output: 16_384, context: 128_000, rates: unwritten(2.5, 1.25, 10) },
  'gpt-4o-mini': { ...gpt4, output: 16_384, context: 128_000, rates: unwritten(0.15, 0.075, 0.6) },
  'gpt-3.5-turbo': { ...gpt4, gone: true },
  'gpt-4': { ...gpt4, gone: true },
  'gpt-4-turbo': { ...gpt4, gone: true },
  'gpt-4.1-nano': { ...gpt4, gone: true },
  o1: { ...gpt5, gone: true },
  'o3-mini': { ...gpt5, gone: true },
  'o4-mini': { ...gpt5, gone: true },

  'claude-fable-5-1': { ...claude55, rates: usd(10, 0.25, 12.5, 20, 50) },
  'claude-opus-5-5': { ...claude55, rates: usd(4, 0.2, 5, 8, 20) },
  'claude-sonnet-5-5': { ...claude55, rates: usd(2, 0.1, 2.5, 4, 10) },
  'claude-haiku-5-5': {
    ...claude5,
    rates: { ...usd(0.1, 0.01, 0.125, 0.2, 0.5), long: { above: 100_000, input: 5, output: 5 } },
  },
  'claude-sonnet-5': { ...claude5, rates: usd(2, 0.2, 2.5, 4, 10) },
  'claude-opus-5': { ...claude5, rates: usd(5, 0.5, 6.25, 10, 25) },
  'claude-opus-4-8': { ...claude47, rates: usd(5, 0.5, 6.25, 10, 25) },
  'claude-opus-4-7': { ...claude47, rates: usd(5, 0.5, 6.25, 10, 25) },
  'claude-opus-4-6': { ...claude46, rates: usd(5, 0.5, 6.25, 10, 25) },
  'claude-opus-4-5': { ...claude4, cache: { ...claude4.cache, min: 4096 }, rates: usd(5, 0.5, 6.25, 10, 25) },
  'claude-sonnet-4-5': { ...claude4, rates: usd(3, 0.3, 3.75, 6, 15) },
  'claude-haiku-4-5': { ...claude4, cache: { ...claude4.cache, min: 4096 }, rates: usd(1, 0.1, 1.25, 2, 5) },

  'gemini-3.8-flash': { ...gemini3, rates: unwritten(0.75, 0.075, 3.75) },
  'gemini-3.5-flash': { ...gemini3, rates: unwritten(1.5, 0.15, 9) },
  'gemini-3.5-flash-lite': { ...gemini3, rates: unwritten(0.3, 0.03, 2.5) },
  'gemini-3.1-pro-preview': { ...gemini3, rates: { ...unwritten(2, 0.2, 12), long: over200k } },
  'gemini-2.5-flash': {
    ...gemini25,
    rates: unwritten(0.3, 0.03, 2.5),
    answeredBy: { model: 'gemini-3.5-flash-lite', from: '2026-12-01' },
  },
  'gemini-2.5-pro': {
    ...gemini25,
    rates: { ...unwritten(1.25, 0.125, 10), long: over200k },
    answeredBy: { model: 'gemini-3.5-flash-lite', from: '2026-12-01' },
  },
};

/** The strictest rules of each vendor, which hold for names that are not in the table. */
const strictest: Readonly<Record<Vendor, ModelRules>> = {
  openai: gpt61,
  anthropic: claude55,
  gemini: gemini3,
  compatible: plain,
};

/** Returns the rules of a model; a name also means its dated versions. A vendor serves its own models only. */
export function rulesOf(vendor: Vendor, model: string): ModelRules {
  const undated = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  const known = Object.hasOwn(models, undated) ? models[undated] : undefined;
  if (known === undefined) return strictest[vendor];
  return vendor === 'compatible' ? { ...plain, ...(known.rates && { rates: known.rates }) } : known;
}
