import { createHash } from 'node:crypto';
import type { Segment, Turn } from '../turn.ts';
import type { CacheRules } from './models.ts';

/** Tokens of a prompt, and the parts of them that the vendor's cache had, and that it takes. */
export interface CachedPrompt {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly writeLong: number;
}

/** Tokens after which a cache without breakpoints cuts a prompt. */
const blockTokens = 128;
/** Entries that are kept at most. */
const mostEntries = 200_000;
/** Segments before a breakpoint at which an entry is still found. */
const lookback = 20;

/** Cache of a vendor: knows the bytes of the prefixes that it has seen, for each account and model. */
export interface PromptCache {
  /** Looks a prompt up and keeps it, as the rules of the model say. */
  take(turn: Turn, rules: CacheRules): CachedPrompt;
}

interface Prefix {
  readonly id: string;
  readonly tokens: number;
  readonly keep?: 'short' | 'long';
}

/** Opens an empty cache; `now` is in milliseconds. */
export function openPromptCache(bytesPerToken: number, now: () => number): PromptCache {
  const tokensOf = (bytes: number) => Math.ceil(bytes / bytesPerToken);
  const kept = new Map<string, { expires: number; readonly lifetimeMs: number }>();

  const has = (id: string): boolean => (kept.get(id)?.expires ?? 0) > now();
  const keep = (id: string, minutes: number) => {
    if (kept.size >= mostEntries) forget();
    const lifetimeMs = Math.max(minutes * 60_000, kept.get(id)?.lifetimeMs ?? 0);
    kept.set(id, { lifetimeMs, expires: now() + lifetimeMs });
  };
  /** Forgets what has expired; if that is not enough, the older half. */
  const forget = () => {
    for (const [id, { expires }] of kept) if (expires <= now()) kept.delete(id);
    for (const id of [...kept.keys()].slice(0, Math.max(0, kept.size - mostEntries / 2))) kept.delete(id);
  };
  /** A hit makes an entry as young as it was. */
  const refresh = (id: string) => {
    const entry = kept.get(id);
    if (entry !== undefined) entry.expires = now() + entry.lifetimeMs;
  };

  function takeBlocks(turn: Turn, rules: CacheRules): CachedPrompt {
    const bytes = Buffer.from(turn.segments.map(({ text }) => text).join(''));
    const input = tokensOf(bytes.length);
    const blockBytes = blockTokens * bytesPerToken;
    const hash = accountHash(turn);
    let read = 0;
    let broken = false;
    for (let end = blockBytes; end <= bytes.length; end += blockBytes) {
      const tokens = tokensOf(end);
      hash.update(bytes.subarray(end - blockBytes, end));
      const id = hash.copy().digest('base64');
      broken ||= !has(id);
      if (!broken && tokens >= rules.min) read = tokens;
      keep(id, rules.minutes);
    }
    return { input, read, write: 0, writeLong: 0 };
  }

  function takeMarks(turn: Turn, rules: CacheRules): CachedPrompt {
    const prefixes = prefixesOf(turn, tokensOf);
    const input = prefixes.at(-1)?.tokens ?? 0;
    const marks = prefixes.flatMap(({ keep: how }, at) => (how === undefined ? [] : [at]));
    const findable = (at: number) =>
      rules.compares === 'latest' ? marks.length > 0 : marks.some((mark) => at <= mark && at > mark - lookback);
    const hit = prefixes.findLast(({ id, tokens }, at) => findable(at) && tokens >= rules.min && has(id));
    if (hit !== undefined) refresh(hit.id);
    const read = hit?.tokens ?? 0;
    const written = { until: read, short: 0, long: 0 };
    for (const { id, tokens, keep: how } of prefixes) {
      if (how === undefined || tokens < rules.min) continue;
      written[how] += Math.max(0, tokens - written.until);
      written.until = Math.max(written.until, tokens);
      keep(id, how === 'long' ? rules.longMinutes : rules.minutes);
    }
    if (!rules.writes) return { input, read, write: 0, writeLong: 0 };
    return { input, read, write: written.short + written.long, writeLong: written.long };
  }

  return { take: (turn, rules) => (rules.compares === 'blocks' ? takeBlocks(turn, rules) : takeMarks(turn, rules)) };
}

const accountHash = ({ vendor, model, key, cacheKey = '' }: Turn) =>
  createHash('sha256').update(JSON.stringify([vendor, model, key, cacheKey]));

function prefixesOf(turn: Turn, tokensOf: (bytes: number) => number): Prefix[] {
  const hash = accountHash(turn);
  let bytes = 0;
  return turn.segments.map(({ text, keep }: Segment) => {
    hash.update(text).update('\0');
    bytes += Buffer.byteLength(text);
    return { id: hash.copy().digest('base64'), tokens: tokensOf(bytes), ...(keep && { keep }) };
  });
}
