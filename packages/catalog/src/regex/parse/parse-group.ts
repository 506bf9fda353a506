import type { FlagScope, PatternReader } from './cursor.ts';
import { eat, PatternError, peek, take, takeUntil, takeWhile } from './cursor.ts';
import type { PatternFlags, PatternNode } from './syntax.ts';
import { widthOf } from './width.ts';

/** Maximum depth of nested groups: parsing and translating them is recursive. */
const maxDepth = 200;

const nothing: PatternNode = { type: 'sequence', items: [] };
const flagNames = { i: 'ignoreCase', m: 'multiline', s: 'dotAll', x: 'verbose', a: 'ascii' } as const;

/**
 * Parses the construct that a parenthesis opens; the cursor is after it. Undefined for constructs that match nothing: a
 * comment or global flags, which are allowed only if `leading` is set, because nothing came before them.
 */
export function parseGroup(reader: PatternReader, scope: FlagScope, leading: boolean): PatternNode | undefined {
  const { cursor } = reader;
  const start = cursor.position - 1;
  if (!eat(cursor, '?')) return capture(reader, scope, start);
  if (eat(cursor, 'P')) return namedSyntax(reader, scope, start);
  if (eat(cursor, ':')) return grouped(reader, { flags: scope.flags }, start);
  if (eat(cursor, '#')) return comment(reader, start);
  if (eat(cursor, '>')) return { type: 'atomic', body: closed(reader, { flags: scope.flags }, start) };
  if (eat(cursor, '=')) return look(reader, scope, { start, behind: false, negated: false });
  if (eat(cursor, '!')) return look(reader, scope, { start, behind: false, negated: true });
  if (eat(cursor, '<=')) return look(reader, scope, { start, behind: true, negated: false });
  if (eat(cursor, '<!')) return look(reader, scope, { start, behind: true, negated: true });
  if (eat(cursor, '(')) return conditional(reader, scope, start);
  return flagged(reader, scope, { start, leading });
}

/** Parses the inside of a parenthesis and the parenthesis that closes it. */
function closed(reader: PatternReader, scope: FlagScope, start: number): PatternNode {
  reader.depth += 1;
  if (reader.depth > maxDepth) throw new PatternError(`more than ${maxDepth} nested groups`, start);
  const body = reader.alternatives(scope, false);
  reader.depth -= 1;
  if (!eat(reader.cursor, ')')) throw new PatternError('missing ), unterminated subpattern', start);
  return body;
}

/** Parses a group that is not counted. It stays a separate node, so that `(?:a*)*` is not mistaken for `a**`. */
const grouped = (reader: PatternReader, scope: FlagScope, start: number): PatternNode => ({
  type: 'sequence',
  items: [closed(reader, scope, start)],
});

function capture(reader: PatternReader, scope: FlagScope, start: number): PatternNode {
  reader.groups += 1;
  const index = reader.groups;
  reader.open.add(index);
  const body = closed(reader, { flags: scope.flags }, start);
  reader.open.delete(index);
  reader.widths.set(index, widthOf(body, reader.widths));
  return { type: 'group', index, body };
}

function namedSyntax(reader: PatternReader, scope: FlagScope, start: number): PatternNode {
  const { cursor } = reader;
  if (eat(cursor, '<')) {
    const name = groupName(reader, '>');
    if (reader.names.has(name)) throw new PatternError(`redefinition of group name '${name}'`, start + 4);
    reader.names.set(name, reader.groups + 1);
    return capture(reader, scope, start);
  }
  if (eat(cursor, '=')) {
    const offset = cursor.position;
    const name = groupName(reader, ')');
    const group = reader.names.get(name);
    if (group === undefined) throw new PatternError(`unknown group name '${name}'`, offset);
    if (reader.open.has(group)) throw new PatternError('cannot refer to an open group', offset);
    return { type: 'backreference', group, fold: scope.flags.ignoreCase };
  }
  const next = take(cursor);
  if (next === undefined) throw new PatternError('unexpected end of pattern', cursor.position);
  throw new PatternError(`unknown extension ?P${next}`, start + 1);
}

function groupName(reader: PatternReader, terminator: string): string {
  const offset = reader.cursor.position;
  const name = takeUntil(reader.cursor, terminator, 'group name');
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw new PatternError(`bad character in group name '${name}'`, offset);
  return name;
}

function comment(reader: PatternReader, start: number): undefined {
  takeWhile(reader.cursor, /[^)]/);
  if (!eat(reader.cursor, ')')) throw new PatternError('missing ), unterminated comment', start);
}

function look(
  reader: PatternReader,
  scope: FlagScope,
  { start, behind, negated }: { start: number; behind: boolean; negated: boolean },
): PatternNode {
  const body = closed(reader, { flags: scope.flags }, start);
  const { min, max } = widthOf(body, reader.widths);
  if (behind && min !== max) throw new PatternError('look-behind requires fixed-width pattern', start);
  return { type: 'look', behind, negated, body };
}

function conditional(reader: PatternReader, scope: FlagScope, start: number): PatternNode {
  const { cursor } = reader;
  const offset = cursor.position;
  const name = takeUntil(cursor, ')', 'group name');
  const group = /^\d+$/.test(name) ? Number.parseInt(name, 10) : reader.names.get(name);
  if (group === undefined) throw new PatternError(`unknown group name '${name}'`, offset);
  if (group === 0) throw new PatternError('bad group number', offset);
  reader.asked.push({ group, offset });
  const body = closed(reader, { flags: scope.flags }, start);
  const branches = body.type === 'alternatives' ? body.branches : [body];
  if (branches.length > 2) throw new PatternError('conditional backref with more than two branches', start);
  return { type: 'conditional', group, yes: branches[0] ?? nothing, no: branches[1] ?? nothing };
}

/** Parses `(?i)`, which applies to the whole pattern, or `(?i:...)` and `(?-i:...)`, which apply inside. */
function flagged(
  reader: PatternReader,
  scope: FlagScope,
  { start, leading }: { start: number; leading: boolean },
): PatternNode | undefined {
  const { cursor } = reader;
  const on = readFlags(reader, start);
  if (eat(cursor, ')')) {
    if (!leading) throw new PatternError('global flags not at the start of the expression', start);
    scope.flags = { ...scope.flags, ...on };
    return undefined;
  }
  const off = eat(cursor, '-') ? readFlags(reader, start) : {};
  if (!eat(cursor, ':'))
    throw new PatternError(peek(cursor) === undefined ? 'missing -, : or )' : 'unknown flag', cursor.position);
  if ('ascii' in off)
    throw new PatternError("bad inline flags: cannot turn off flags 'a', 'u' and 'L'", cursor.position);
  for (const flag of Object.keys(off)) {
    if (flag in on) throw new PatternError('bad inline flags: flag turned on and off', cursor.position);
  }
  const turnedOff = Object.fromEntries(Object.keys(off).map((flag) => [flag, false]));
  return grouped(reader, { flags: { ...scope.flags, ...on, ...turnedOff } }, start);
}

function readFlags(reader: PatternReader, start: number): { readonly [Flag in keyof PatternFlags]: true } {
  const { cursor } = reader;
  const letters = takeWhile(cursor, /[a-zA-Z]/);
  if (letters === '') {
    const next = peek(cursor);
    if (next === undefined) throw new PatternError('unexpected end of pattern', cursor.position);
    if (next !== '-') throw new PatternError(`unknown extension ?${next}`, start + 1);
  }
  const flags: { -readonly [Flag in keyof PatternFlags]: true } = {};
  for (const letter of letters) {
    if (letter === 'L')
      throw new PatternError("bad inline flags: cannot use 'L' flag with a str pattern", cursor.position);
    if (letter === 'u') continue;
    if (!(letter in flagNames)) throw new PatternError(`unknown flag ${letter}`, cursor.position);
    // The check above ensures that the letter is a key of the table.
    flags[flagNames[letter as keyof typeof flagNames]] = true;
  }
  return flags;
}
