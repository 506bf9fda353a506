import { Lexer } from 'yaml';

/** Token that announces that the next token is the text of a scalar, whatever it looks like. */
const SCALAR = '\u001f';
/** Tokens of the lexer without text: byte order mark, start of a document and of a scalar, end of flow. */
const controls: ReadonlySet<string> = new Set(['\u0002', '\u0018', SCALAR]);
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
  let offset = 0;
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    const mark: string = isText ? '' : token;
    advance(depth, mark, token.length);
    if (depth.indents.length + depth.open + depth.onLine > most) return offset;
    isText = mark === SCALAR;
    if (!controls.has(mark)) offset += token.length;
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
