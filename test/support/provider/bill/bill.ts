import type { Rates } from './models.ts';

/** Tokens and searches of a reply. The other counts of tokens are parts of `input` and `output`. */
export interface Usage {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  /** Part of `write` that is kept for long. */
  readonly writeLong: number;
  readonly output: number;
  readonly reasoning: number;
  readonly searches: number;
  /** Tier of service that the reply was given in. */
  readonly tier: string;
  readonly region?: string;
}

/** A reply that must be paid. */
export interface BillLine {
  readonly model: string;
  readonly usage: Usage;
  /** Price in picodollars; undefined where the model has no rates. */
  readonly picodollars: bigint | undefined;
}

const perToken = (usdPerMillion: number): bigint => BigInt(Math.round(usdPerMillion * 1_000_000));
/** Factors in thousandths. */
const tiers: Readonly<Record<string, bigint>> = { flex: 500n, batch: 500n, priority: 2000n, fast: 2000n };
/** Factor of requests that are bound to a region. */
const regional = 1100n;

/** Returns the price of a reply in picodollars, rounded up once. */
export function price(rates: Rates, usage: Usage): bigint {
  const long = rates.long !== undefined && usage.input > rates.long.above ? rates.long : { input: 1, output: 1 };
  const line = (tokens: number, rate: number, factor: number) =>
    BigInt(tokens) * perToken(rate) * BigInt(Math.round(factor * 1000));
  const inputs =
    line(usage.input - usage.read - usage.write, rates.input, long.input) +
    line(usage.read, rates.read, long.input) +
    line(usage.write - usage.writeLong, rates.write, long.input) +
    line(usage.writeLong, rates.writeLong, long.input);
  const tokens = inputs + line(usage.output, rates.output, long.output);
  const factors = (tiers[usage.tier] ?? 1000n) * (usage.region === undefined ? 1000n : regional);
  const searches = BigInt(usage.searches) * perToken(rates.search) * 1000n;
  const billionths = tokens * factors + searches * 1_000_000_000n;
  return (billionths + 999_999_999n) / 1_000_000_000n;
}

/** What all replies have cost. */
export interface Bill {
  readonly lines: readonly BillLine[];
  readonly picodollars: bigint;
  readonly usd: number;
}

/** Returns the sum of what was charged. */
export function billOf(lines: readonly BillLine[]): Bill {
  const picodollars = lines.reduce((sum, line) => sum + (line.picodollars ?? 0n), 0n);
  return { lines: [...lines], picodollars, usd: Number(picodollars) / 1e12 };
}
