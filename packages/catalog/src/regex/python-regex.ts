import { NodeError } from '@millrace/core';
import { RE2JS } from 're2js';
import { emitNative } from './emit-native.ts';
import type { EmittedRe2 } from './emit-re2.ts';
import { emitRe2, re2ObstacleOf } from './emit-re2.ts';
import type { NativePattern, Search, Spans } from './native-matcher.ts';
import { assertNative, nativeMatches, SearchTimeout } from './native-matcher.ts';
import { parsePattern } from './parse/parse-pattern.ts';
import type { ParsedPattern, PatternFlags } from './parse/syntax.ts';
import { prefersNothing } from './parse/width.ts';
import type { PatternMatch } from './search-in-child.ts';
import { matchOf, searchInChild } from './search-in-child.ts';

/**
 * A pattern that matches as Python's `re` does. A search that takes long continues in another process, and throws
 * REGEX_TIMEOUT if it takes too long.
 */
export interface CompiledPattern {
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
  /** Set if RE2, which takes linear time, cannot run the pattern: the part that is the reason, e.g. `a look-ahead`. */
  readonly outsideRe2?: string;
  /** Returns the first match, like `re.search`. */
  search(text: string): Promise<PatternMatch | undefined>;
  /**
   * Returns all matches, like `re.finditer`, or the first ones up to a number that the caller accepts. Throws REGEX_TOO_MANY_MATCHES
   * if there are more than are read.
   */
  findAll(text: string, most?: number): Promise<readonly PatternMatch[]>;
  /** Searches in this process; only for patterns and texts that are known to be harmless. */
  findNow(text: string, search: Search): readonly Spans[];
}

interface Engine {
  find(text: string, search: Search): readonly Spans[];
  /** Returns whether a search may start in this process, because its time is limited or known to be short. */
  mayBegin(text: string): boolean;
}

/** Maximum time that a search may block this process, in milliseconds. */
const inlineTimeoutMs = 20;

/** Maximum number of texts of one search, those of groups included: each takes some 100 bytes and a microsecond. */
const maxTexts = 500_000;

/** Number of steps of RE2, each a part of the pattern at a character, that take less than that time. */
const maxInlineSteps = 500_000;

/** Compiles a pattern of Python's `re`. Throws a PatternError if Python would refuse it. */
export function pythonRegex(pattern: string, flags: PatternFlags = {}): CompiledPattern {
  const parsed = parsePattern(pattern, flags);
  const obstacle = re2ObstacleOf(parsed);
  const re2 = obstacle === undefined ? re2Find(parsed) : undefined;
  const engine = re2 ?? nativeFind(parsed);
  const groups = parsed.groups + 1;
  const mostRead = Math.floor(maxTexts / groups);
  const find = async (text: string, most: number): Promise<readonly PatternMatch[]> => {
    const limit = Math.min(most, mostRead + 1);
    const found = searchInline(engine, text, limit) ?? (await searchInChild({ pattern, flags, text, limit }, groups));
    if (found.length > mostRead)
      throw new NodeError(
        'REGEX_TOO_MANY_MATCHES',
        `The pattern matches a text of ${text.length} characters at more than ${maxTexts} places, those of its groups included`,
      );
    return found.map((spans) => matchOf(text, spans));
  };
  return {
    groups: parsed.groups,
    names: parsed.names,
    ...(re2 === undefined ? { outsideRe2: obstacle ?? 'a repeat over 1000' } : {}),
    search: async (text) => (await find(text, 1))[0],
    findAll: (text, most = Number.POSITIVE_INFINITY) => find(text, most),
    findNow: engine.find,
  };
}

/** Returns the matches of a short search; undefined if it takes longer. */
function searchInline({ find, mayBegin }: Engine, text: string, limit: number): readonly Spans[] | undefined {
  if (!mayBegin(text)) return undefined;
  try {
    return find(text, { limit, timeoutMs: inlineTimeoutMs });
  } catch (error) {
    if (error instanceof SearchTimeout) return undefined;
    throw error;
  }
}

/** Returns the number of a group that is given by number or name; undefined if the pattern has no such group. */
export function groupNumber(pattern: CompiledPattern, group: string | number): number | undefined {
  if (typeof group === 'string') return pattern.names.get(group);
  return Number.isInteger(group) && group >= 0 && group <= pattern.groups ? group : undefined;
}

/** Returns the engine of RE2; undefined if RE2 refuses the pattern because nested repeats amount to more than 1000. */
function re2Find(parsed: ParsedPattern): Engine | undefined {
  const emitted = emitRe2(parsed);
  const compiled = compileRe2(emitted.source);
  if (compiled === undefined) return undefined;
  const parts = compiled.programSize();
  const find: Engine['find'] = (text, { limit }) => {
    const found: Spans[] = [];
    const matcher = compiled.matcher(text);
    let position = 0;
    while (found.length < limit && position <= text.length && matcher.find(position)) {
      const spans = re2Spans(matcher, emitted, text);
      found.push(spans);
      const [start, end] = spans[0] ?? [position, position];
      position = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    }
    return found;
  };
  return { find, mayBegin: ({ length }) => length * parts <= maxInlineSteps };
}

function compileRe2(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source);
  } catch {
    // re2ObstacleOf detects all other reasons; the native engine takes these patterns.
    return undefined;
  }
}

function re2Spans(matcher: ReturnType<RE2JS['matcher']>, { groups, newlines }: EmittedRe2, text: string): Spans {
  const tookNewline = newlines.some((group) => matcher.start(group) >= 0);
  const last = tookNewline ? text.length - 1 : text.length;
  return groups.map((group) => {
    const start = matcher.start(group);
    return start < 0 ? undefined : [Math.min(start, last), Math.min(matcher.end(group), last)];
  });
}

function nativeFind(parsed: ParsedPattern): Engine {
  const first = emitNative(parsed);
  assertNative(first);
  const native: NativePattern = prefersNothing(parsed.body)
    ? { first, again: emitNative(parsed, { something: true }) }
    : { first };
  return {
    find: (text, search) =>
      nativeMatches(native, text, search).map(({ spans, by }) =>
        (native[by] ?? first).groups.map((group) => spans[group]),
      ),
    mayBegin: () => true,
  };
}
