import { RE2JS } from 're2js';
import { emitNative } from './emit-native.ts';
import type { EmittedRe2 } from './emit-re2.ts';
import { emitRe2 } from './emit-re2.ts';
import type { NativePattern, Spans } from './native.ts';
import { assertNative, nativeMatches } from './native.ts';
import { obstacleOf } from './obstacles.ts';
import { parsePattern } from './parse.ts';
import type { ParsedPattern, PatternFlags } from './syntax.ts';
import { prefersNothing } from './width.ts';

/** One match. `groups[0]` is all of it; a group that did not take part is undefined. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** A pattern that matches as Python's `re` does. Searching may throw REGEX_TIMEOUT outside of RE2. */
export interface CompiledPattern {
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
  /** Set when RE2, which takes linear time, cannot run the pattern: what in it is the reason, e.g. `a look-ahead`. */
  readonly outsideRe2?: string;
  /** The first match, like `re.search`. */
  search(text: string): PatternMatch | undefined;
  /** All matches, like `re.finditer`. */
  findAll(text: string): readonly PatternMatch[];
}

type Find = (text: string, limit: number) => readonly Spans[];

/** Compiles a pattern of Python's `re`. Throws a PatternError when Python would refuse it. */
export function pythonRegex(pattern: string, flags: PatternFlags = {}): CompiledPattern {
  const parsed = parsePattern(pattern, flags);
  const obstacle = obstacleOf(parsed);
  const re2 = obstacle === undefined ? re2Find(parsed) : undefined;
  const find = re2 ?? nativeFind(parsed);
  return {
    groups: parsed.groups,
    names: parsed.names,
    ...(re2 === undefined ? { outsideRe2: obstacle ?? 'a repeat over 1000' } : {}),
    search: (text) => find(text, 1).map((spans) => matchOf(text, spans))[0],
    findAll: (text) => find(text, Number.POSITIVE_INFINITY).map((spans) => matchOf(text, spans)),
  };
}

/** The number of a group that is given by number or name; undefined when the pattern has no such group. */
export function groupNumber(pattern: CompiledPattern, group: string | number): number | undefined {
  if (typeof group === 'string') return pattern.names.get(group);
  return Number.isInteger(group) && group >= 0 && group <= pattern.groups ? group : undefined;
}

function matchOf(text: string, spans: Spans): PatternMatch {
  const [start, end] = spans[0] ?? [0, 0];
  return { start, end, groups: spans.map((span) => span && text.slice(span[0], span[1])) };
}

/** Undefined when RE2 refuses the pattern, which it does when nested repeats come to more than 1000. */
function re2Find(parsed: ParsedPattern): Find | undefined {
  const emitted = emitRe2(parsed);
  const compiled = compileRe2(emitted.source);
  if (compiled === undefined) return undefined;
  return (text, limit) => {
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
}

function compileRe2(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source);
  } catch {
    // obstacleOf knows all other reasons; what is left goes to the native engine.
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

function nativeFind(parsed: ParsedPattern): Find {
  const first = emitNative(parsed);
  assertNative(first);
  const native: NativePattern = prefersNothing(parsed.body)
    ? { first, again: emitNative(parsed, { something: true }) }
    : { first };
  return (text, limit) =>
    nativeMatches(native, text, limit).map(({ spans, by }) =>
      (native[by] ?? first).groups.map((group) => spans[group]),
    );
}
