import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { MAX_DEPTH } from '../../definitions/workflow-limits.ts';
import type { Issue, Position } from '../../model/errors.ts';
import type { Path } from './path.ts';
import type { ProblemReporter, SourceLocator } from './report.ts';
import { createProblemReporter } from './report.ts';
import { isFloat, pythonTags } from './scalars.ts';
import { firstSyntaxProblem } from './syntax-problem.ts';
import { tokensOf } from './tokens.ts';

/** A source file: its text, and the name under which problems are reported. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

/** A YAML document as plain values, with the positions of all values. */
export interface SourceDocument extends SourceLocator {
  readonly value: unknown;
  readonly report: ProblemReporter;
  /** Returns whether the number at a path of keys is written as a floating-point number, such as `2.0`. */
  isFloat(path: Path): boolean;
}

/** Maximum size of a workflow file: larger files are not written by hand, and would be slow to refuse later. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
/** Maximum number of uses of anchors, weighted by the anchors within them. */
const MAX_ALIASES = 10_000;
const depthProblem = {
  message: `The document is nested more than ${MAX_DEPTH} levels deep`,
  hint: 'Look for brackets that are never closed.',
} as const;
/** Maximum number of values in the document with all aliases expanded. */
const MAX_VALUES = 1_000_000;

/** Parses YAML text; undefined if that fails, with the reason among the issues. */
export function readDocument(source: SourceFile, issues: Issue[]): SourceDocument | undefined {
  const top = createProblemReporter({ file: source.file, at: () => ({ line: 1, column: 1 }) }, issues);
  if (source.text.length > MAX_CHARACTERS) {
    const hint = 'Put long texts into variables or into subgraph files.';
    top.add('E_FILE_TOO_LARGE', { path: [], message: 'The file is larger than 2 MB', hint });
    return undefined;
  }
  const deepAt = tooDeepAt(source.text, MAX_DEPTH);
  if (deepAt !== undefined) {
    reportAt(source, issues, linesUpTo(source.text, deepAt).linePos(deepAt)).add('E_DEPTH_LIMIT', {
      path: [],
      ...depthProblem,
    });
    return undefined;
  }
  try {
    return readYaml(source, issues);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    const { code, message, hint, mark } = problem;
    const place = mark === undefined ? top : reportAtMark(source, mark, issues);
    place.add(code, { path: [], message, hint });
    return undefined;
  }
}

interface ReadFailure {
  readonly code: 'E_YAML_SYNTAX' | 'E_YAML_ALIASES' | 'E_DEPTH_LIMIT';
  readonly message: string;
  readonly hint: string;
  /** Text of the token that is wrong, where it is known. */
  readonly mark?: string;
}

/**
 * Returns the problem behind an error of the parser: it throws on absurd nesting, on aliases that multiply or are
 * unknown, and on merging of values other than mappings.
 */
function problemOf(error: unknown): ReadFailure | undefined {
  if (error instanceof RangeError) return { code: 'E_DEPTH_LIMIT', ...depthProblem };
  if (error instanceof ReferenceError) return { code: 'E_YAML_ALIASES', ...aliasProblem(error) };
  if (!(error instanceof Error) || !error.message.startsWith('Merge sources')) return undefined;
  const message = 'The merge key << takes a mapping or an alias of one';
  return { code: 'E_YAML_SYNTAX', message, hint: 'Write `<<: *name`, where `&name` marks a mapping.' };
}

function readYaml({ file, text }: SourceFile, issues: Issue[]): SourceDocument | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    customTags: pythonTags,
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
  });
  const at: SourceLocator['at'] = (path, part) => locate(document, lines, { path, part });
  const report = createProblemReporter({ file, at }, issues);
  if (reportSyntax(document, lines, { file, text, issues })) return undefined;
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  if (countValues(value) > MAX_VALUES) throw new ReferenceError('Excessive alias count');
  reportDuplicateKeys(document.contents, lines, report);
  const isFloatAt = (path: Path) => isFloat(plainSource(document, path) ?? '');
  return { file, value, at, report, isFloat: isFloatAt };
}

/** Characters that PyYAML refuses, such as control characters: they must not reach a terminal or a log. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds exactly these characters
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

function reportSyntax(document: Document, lines: LineCounter, source: SourceFile & { issues: Issue[] }): boolean {
  const add = (code: ReadFailure['code'] | 'E_YAML_CHARACTER', offset: number, { message, hint }: Wording) => {
    reportAt(source, source.issues, lines.linePos(offset)).add(code, { path: [], message, hint });
  };
  const forbidden = FORBIDDEN.exec(source.text);
  if (forbidden !== null) {
    const code = forbidden[0].charCodeAt(0).toString(16).padStart(4, '0');
    const message = `The character U+${code.toUpperCase()} is not allowed in YAML`;
    add('E_YAML_CHARACTER', forbidden.index, {
      message,
      hint: 'Remove it; an editor that shows hidden characters helps.',
    });
  }
  const unknownTags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const errors = [...document.errors, ...unknownTags];
  const overflow = errors.find(({ message }) => message.startsWith('Maximum call stack'));
  if (overflow !== undefined) add('E_DEPTH_LIMIT', overflow.pos[0], depthProblem);
  else {
    const problem = firstSyntaxProblem(errors, source.text);
    if (problem !== undefined) add('E_YAML_SYNTAX', problem.offset, problem);
  }
  return errors.length > 0 || forbidden !== null;
}

/** Returns a reporter whose problems all have the same position. */
function reportAt(
  { file }: SourceFile,
  issues: Issue[],
  { line, col }: ReturnType<LineCounter['linePos']>,
): ProblemReporter {
  return createProblemReporter({ file, at: () => ({ line: Math.max(line, 1), column: Math.max(col, 1) }) }, issues);
}

/** Returns a reporter whose problems are at the first token with this text. */
function reportAtMark(source: SourceFile, mark: string, issues: Issue[]): ProblemReporter {
  const offset = [...tokensOf(source.text)].find((token) => token.mark === mark)?.offset ?? 0;
  return reportAt(source, issues, linesUpTo(source.text, offset).linePos(offset));
}

/** Returns the positions of the lines of a text that was not parsed, up to an offset. */
function linesUpTo(text: string, offset: number): LineCounter {
  const lines = new LineCounter();
  for (let at = 0; at !== -1 && at <= offset; at = text.indexOf('\n', at) + 1 || -1) lines.addNewLine(at);
  return lines;
}

type Wording = Pick<ReadFailure, 'message' | 'hint'>;

/** Counts values up to the limit: visiting the expanded document is what makes an alias bomb expensive. */
function countValues(root: unknown): number {
  const open: unknown[] = [root];
  let count = 0;
  while (open.length > 0 && count <= MAX_VALUES) {
    const value = open.pop();
    count++;
    if (typeof value !== 'object' || value === null) continue;
    for (const child of Object.values(value)) open.push(child);
  }
  return count;
}

function aliasProblem(error: ReferenceError): Omit<ReadFailure, 'code'> {
  const [, name] = /^Unresolved alias.*: (\S+)$/.exec(error.message) ?? [];
  if (name !== undefined) {
    const hint = 'Put a text that begins with * in quotes, or define the anchor with &, further up in the file.';
    return { message: `There is no anchor "${name}"`, hint, mark: `*${name}` };
  }
  const message = 'The aliases (*name) of this file expand to far more text than is written';
  return { message, hint: 'Write out the values, or use fewer aliases.' };
}

/**
 * Warns of keys that are written twice in one mapping, of which the last one counts, and refuses keys that no mapping
 * can have.
 */
function reportDuplicateKeys(contents: Node | null, lines: LineCounter, report: ProblemReporter): void {
  const visit = (node: unknown, path: Path): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (!isMap(node)) return;
    reportInMapping(node, { path, lines, report });
    for (const { key, value } of node.items) if (isScalar(key)) visit(value, [...path, String(key.value)]);
  };
  visit(contents, []);
}

interface MappingLocation {
  readonly path: Path;
  readonly lines: LineCounter;
  readonly report: ProblemReporter;
}

function reportInMapping(map: YAMLMap, { path, lines, report }: MappingLocation): void {
  const first = new Map<string, number>();
  for (const { key: node } of map.items) {
    // Merge keys may occur several times.
    if (!isScalar(node) || typeof node.value === 'symbol') continue;
    const key = String(node.value);
    if (key === '__proto__') {
      const message = 'No mapping can have the key "__proto__"';
      report.add('E_FIELD_INVALID', { path: [...path, key], atKey: true, message, hint: 'Choose another name.' });
    }
    const { line } = lines.linePos(node.range?.[0] ?? 0);
    const before = first.get(key);
    if (before === undefined) first.set(key, line);
    else {
      const message = `"${key}" is also written on line ${before}; the last one counts`;
      const hint = 'Remove the one that is not meant.';
      report.add('W_KEY_DUPLICATE', { path: [...path, key], atKey: true, message, hint });
    }
  }
}

const brackets: ReadonlyMap<string, number> = new Map([
  ['[', 1],
  ['{', 1],
  [']', -1],
  ['}', -1],
]);

/**
 * Returns the offset in a YAML text at which lists and mappings are nested more than `most` deep; undefined if they are
 * not. It reads tokens only: the parser calls itself for each level, and takes long before it fails.
 */
export function tooDeepAt(text: string, most: number): number | undefined {
  const depth: Depth = { indents: [], open: 0, onLine: 0, beginsLine: true };
  for (const { mark, length, offset } of tokensOf(text)) {
    advance(depth, mark, length);
    if (depth.indents.length + depth.open + depth.onLine > most) return offset;
  }
  return undefined;
}

/** Nesting at the current position. */
interface Depth {
  /** Indents of the enclosing lines, outside of brackets. */
  readonly indents: number[];
  open: number;
  /** Number of indicators such as `-` on the line so far, each of which may start a level. */
  onLine: number;
  beginsLine: boolean;
}

/** Updates the nesting for a token; `mark` is empty for the text of a scalar. */
function advance(depth: Depth, mark: string, length: number): void {
  const isEnd = isBreak(mark);
  if (depth.beginsLine && depth.open === 0 && !isEnd) enter(depth.indents, /^ *$/.test(mark) ? length : 0);
  depth.open += brackets.get(mark) ?? 0;
  if (mark === '-' || mark === '?') depth.onLine += 1;
  if (isEnd) depth.onLine = 0;
  depth.beginsLine = isEnd;
}

const isBreak = (token: string): boolean => token === '\n' || token === '\r\n';

/** Keeps the indents of the lines that enclose the current one. */
function enter(indents: number[], indent: number): void {
  while ((indents.at(-1) ?? -1) >= indent) indents.pop();
  indents.push(indent);
}

interface LocatedNode {
  readonly key?: unknown;
  readonly value: unknown;
}

/**
 * Returns the position of the value at a path, or of its key; for a missing field, that of the mapping that lacks it.
 */
function locate(document: Document, lines: LineCounter, target: { path: Path; part: 'key' | 'value' }): Position {
  let located: LocatedNode = { value: document.contents };
  let found = true;
  for (const segment of target.path) {
    const next = step(document, located.value, segment);
    found = next !== undefined;
    if (next === undefined) break;
    located = next;
  }
  const offset = (target.part === 'key' && found ? offsetOf(located.key) : undefined) ?? writtenOffset(located.value);
  const { line, col } = lines.linePos(offset ?? offsetOf(located.key) ?? 0);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Returns the source text of a plain scalar at a path of keys; undefined for anything else. */
function plainSource(document: Document, path: Path): string | undefined {
  let value: unknown = document.contents;
  for (const segment of path) value = step(document, value, segment)?.value;
  return isScalar(value) && value.type === 'PLAIN' ? value.source : undefined;
}

function step(document: Document, value: unknown, segment: string | number): LocatedNode | undefined {
  const container = followAlias(document, value);
  if (isMap(container)) return pairOf(document, container, String(segment));
  if (!isSeq(container) || typeof segment !== 'number' || segment >= container.items.length) return undefined;
  return { value: container.items[segment] };
}

const followAlias = (document: Document, value: unknown): unknown => (isAlias(value) ? value.resolve(document) : value);

/** Returns the last pair with the key; keys of the mapping itself win over merged ones. */
function pairOf(document: Document, map: YAMLMap, key: string): Pair | undefined {
  const own = map.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  if (own !== undefined) return own;
  const merges = map.items.filter((pair) => isScalar(pair.key) && typeof pair.key.value === 'symbol');
  for (const merge of merges) {
    const source = followAlias(document, merge.value);
    for (const candidate of isSeq(source) ? source.items : [source]) {
      const merged = followAlias(document, candidate);
      const pair = isMap(merged) ? pairOf(document, merged, key) : undefined;
      if (pair !== undefined) return pair;
    }
  }
  return undefined;
}

const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

/** Returns the offset of a node; undefined for an empty value, which has no text. */
const writtenOffset = (node: unknown): number | undefined =>
  isScalar(node) && node.source === '' ? undefined : offsetOf(node);
