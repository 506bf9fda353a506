import type { Document, YAMLParseError } from 'yaml';
import { LineCounter, parseDocument } from 'yaml';
import { MAX_DEPTH } from '../../definitions/workflow-limits.ts';
import type { Issue } from '../../model/errors.ts';
import { reportDuplicateKeys } from './duplicate-keys.ts';
import { locate, plainSource } from './locate.ts';
import { tooDeepAt } from './nesting.ts';
import type { Path } from './path.ts';
import type { ProblemReporter, SourceLocator } from './report.ts';
import { createProblemReporter } from './report.ts';
import { isFloat, pythonTags } from './scalars.ts';

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
/** Maximum number of syntax errors that are reported: later ones mostly follow from the first. */
const MAX_SYNTAX_ERRORS = 10;
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
    const lines = new LineCounter();
    for (let at = 0; at !== -1 && at <= deepAt; at = source.text.indexOf('\n', at) + 1 || -1) lines.addNewLine(at);
    reportAt(source, issues, lines.linePos(deepAt)).add('E_DEPTH_LIMIT', { path: [], ...depthProblem });
    return undefined;
  }
  try {
    return readYaml(source, issues);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    top.add(problem.code, { path: [], message: problem.message, hint: problem.hint });
    return undefined;
  }
}

interface ReadFailure {
  readonly code: 'E_YAML_SYNTAX' | 'E_YAML_ALIASES' | 'E_DEPTH_LIMIT';
  readonly message: string;
  readonly hint: string;
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
  const add = (code: ReadFailure['code'] | 'E_YAML_CHARACTER', offset: number, problem: Wording) => {
    reportAt(source, source.issues, lines.linePos(offset)).add(code, { path: [], ...problem });
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
  const errors: readonly SyntaxFlaw[] = [...document.errors, ...unknownTags];
  const overflow = errors.find(({ message }) => message.startsWith('Maximum call stack'));
  if (overflow !== undefined) add('E_DEPTH_LIMIT', overflow.pos[0], depthProblem);
  else for (const error of errors.slice(0, MAX_SYNTAX_ERRORS)) add('E_YAML_SYNTAX', error.pos[0], wordingOf(error));
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

type SyntaxFlaw = Pick<YAMLParseError, 'pos' | 'message'>;
type Wording = Pick<ReadFailure, 'message' | 'hint'>;

/** Returns the parser's message with a hint; messages for programmers are replaced. */
function wordingOf({ message }: SyntaxFlaw): Wording {
  if (!message.startsWith('Source contains multiple documents'))
    return { message, hint: 'Check the indentation, and quote texts with : # or * in them.' };
  return {
    message: 'The file holds several documents, separated by "---"',
    hint: 'Make a file of each of them.',
  };
}

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

function aliasProblem(error: ReferenceError): Pick<ReadFailure, 'message' | 'hint'> {
  if (error.message.startsWith('Unresolved alias'))
    return { message: error.message, hint: 'Define the anchor with &, further up in the file.' };
  const message = 'The aliases (*name) of this file expand to far more text than is written';
  return { message, hint: 'Write out the values, or use fewer aliases.' };
}
