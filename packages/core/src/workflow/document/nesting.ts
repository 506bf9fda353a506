import { Lexer } from 'yaml';

/** Announces that the next token is the text of a scalar, whatever it looks like. */
const SCALAR = '\u001f';
/** Tokens of the lexer that stand for no text: byte order mark, begin of a document and of a scalar, end of flow. */
const controls: ReadonlySet<string> = new Set(['\u0002', '\u0018', SCALAR]);
const brackets: ReadonlyMap<string, number> = new Map([
  ['[', 1],
  ['{', 1],
  [']', -1],
  ['}', -1],
]);

/**
 * Returns where in a YAML text lists and mappings stand within each other more than `most` times; undefined when they do
 * not. It reads tokens only: the parser calls itself for each level, and takes long to find that it cannot go on.
 */
export function tooDeepAt(text: string, most: number): number | undefined {
  const depth: Depth = { indents: [], open: 0, onLine: 0, beginsLine: true };
  let offset = 0;
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    const mark: string = isText ? '' : token;
    move(depth, mark, token.length);
    if (depth.indents.length + depth.open + depth.onLine > most) return offset;
    isText = mark === SCALAR;
    if (!controls.has(mark)) offset += token.length;
  }
  return undefined;
}

/** What encloses the place that was read last. */
interface Depth {
  /** Of the lines that enclose it, outside of brackets. */
  readonly indents: number[];
  open: number;
  /** Indicators such as `-` on the line so far, each of which may begin a level. */
  onLine: number;
  beginsLine: boolean;
}

/** Moves on by a token; `mark` is empty when it is the text of a scalar. */
function move(depth: Depth, mark: string, length: number): void {
  const ends = isBreak(mark);
  if (depth.beginsLine && depth.open === 0 && !ends) enter(depth.indents, /^ *$/.test(mark) ? length : 0);
  depth.open += brackets.get(mark) ?? 0;
  if (mark === '-' || mark === '?') depth.onLine += 1;
  if (ends) depth.onLine = 0;
  depth.beginsLine = ends;
}

const isBreak = (token: string): boolean => token === '\n' || token === '\r\n';

/** Keeps the indents of the lines that enclose the current one. */
function enter(indents: number[], indent: number): void {
  while ((indents.at(-1) ?? -1) >= indent) indents.pop();
  indents.push(indent);
}
