import { Lexer } from 'yaml';

/** A token of a YAML text. */
export interface Token {
  readonly offset: number;
  readonly length: number;
  /** Text of the token, such as `[`; empty for the text of a scalar. */
  readonly mark: string;
}

/** Token that announces that the next token is the text of a scalar, whatever it looks like. */
const SCALAR = '\u001f';
/** Tokens of the lexer without text: byte order mark, start of a document and of a scalar, end of flow. */
const controls: ReadonlySet<string> = new Set(['\u0002', '\u0018', SCALAR]);

/** Reads the tokens of a YAML text, which need not be valid. */
export function* tokensOf(text: string): Generator<Token> {
  let offset = 0;
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    const mark: string = isText ? '' : token;
    yield { offset, length: controls.has(mark) ? 0 : token.length, mark };
    isText = mark === SCALAR;
    if (!controls.has(mark)) offset += token.length;
  }
}
