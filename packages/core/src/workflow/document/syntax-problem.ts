import type { ErrorCode, YAMLParseError } from 'yaml';
import { tokensOf } from './tokens.ts';

/** A syntax error of a YAML text in words for its author, at the place that has to be corrected. */
export interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

type ParserError = Pick<YAMLParseError, 'code' | 'message' | 'pos'>;

/**
 * Returns the error that has to be corrected first, of those that the parser found: the others mostly follow from it.
 * A tab shifts everything below it, and a reserved character makes its line unreadable, so both come first.
 */
export function firstSyntaxProblem(errors: readonly ParserError[], text: string): SyntaxProblem | undefined {
  const rank = ({ code }: ParserError) => ['BAD_SCALAR_START', 'TAB_AS_INDENT'].indexOf(code);
  const [first] = errors.toSorted((one, other) => rank(other) - rank(one) || one.pos[0] - other.pos[0]);
  return first === undefined ? undefined : describe(first, text);
}

function describe(error: ParserError, text: string): SyntaxProblem {
  const [offset] = error.pos;
  const wording = (wordings[error.code] ?? unspecific)({ message: error.message, offset, text });
  return { offset, ...wording };
}

/** A parser's error, as the functions below need it. */
interface Found {
  readonly message: string;
  readonly offset: number;
  readonly text: string;
}

/** An error in words; with an offset where it is elsewhere than the parser says. */
type Wording = Omit<SyntaxProblem, 'offset'> & { readonly offset?: number };

const wordings: Readonly<Partial<Record<ErrorCode, (found: Found) => Wording>>> = {
  TAB_AS_INDENT: () => ({ message: 'A tab is used as indentation', hint: 'Indent with spaces.' }),
  BLOCK_AS_IMPLICIT_KEY: (found) => {
    if (found.message.startsWith('A block sequence')) return misplacedLine(found);
    if (/:(?:\s|$)/.test(restOfLine(found)))
      return { message: 'A text that contains ": " needs quotes', hint: quoteIt };
    return tooDeep(found);
  },
  BLOCK_IN_FLOW: () => ({
    message: 'There are two colons without a comma between them',
    hint: 'Put a text that contains ": " in quotes, and a comma between entries in brackets.',
  }),
  MULTILINE_IMPLICIT_KEY: lineWithoutField,
  BAD_INDENT: (found) => (found.message.startsWith('Flow') ? unclosedBracket(found) : misplacedLine(found)),
  MISSING_CHAR: (found) => {
    if (found.message.startsWith('Flow')) return unclosedBracket(found);
    if (found.message.startsWith('Missing closing')) return unclosedQuote(found);
    return found.message.startsWith('Sequence') ? misplacedLine(found) : lineWithoutField(found);
  },
  UNEXPECTED_TOKEN: unexpected,
  BAD_SCALAR_START: ({ offset, text }) => ({ message: `A text cannot begin with ${text[offset]}`, hint: quoteIt }),
  BAD_ALIAS: ({ offset, text }) => ({ message: `A text that begins with ${text[offset]} needs quotes`, hint: quoteIt }),
  TAG_RESOLVE_FAILED: ({ message }) => ({
    message,
    hint: 'Put a text that begins with ! in quotes, or remove the tag.',
  }),
  BAD_DQ_ESCAPE: ({ offset, text }) => ({
    message: `The escape sequence ${text.slice(offset, offset + 2)} is unknown`,
    hint: 'Write \\\\ for a backslash, or put the text in single quotes.',
  }),
  MULTIPLE_DOCS: () => ({
    message: 'The file holds several documents, separated by "---"',
    hint: 'Make a file of each of them.',
  }),
};

const quoteIt = 'Put the text in quotes, or write it as a block after |.';

function unspecific({ message }: Found): Wording {
  return { message, hint: 'Check the indentation, and quote texts with : # or * in them.' };
}

function lineWithoutField(found: Found): Wording {
  const [, field, value] = /^(?:- )?([\w.-]+):(\S.*)$/.exec(lineOf(found).trim()) ?? [];
  const offset = lineStart(found);
  if (field !== undefined && value !== undefined)
    return { offset, message: 'There is no space after the colon', hint: `Write "${field}: ${value.slice(0, 40)}".` };
  const hint = 'Write a field as "key: value", and a text of several lines as a block after |, indented below its key.';
  return { offset, message: 'This line is no field: it has no key with a colon', hint };
}

function misplacedLine(found: Found): Wording {
  return {
    offset: lineStart(found),
    message: 'This line does not continue the list or mapping above it',
    hint: 'Indent all entries of a list or mapping equally, and do not mix "- item" with "key: value".',
  };
}

/** Describes a value after which a line is indented as if it had none: the parser names the value. */
function tooDeep(found: Found): Wording {
  const next = /\n[ \t]*(?=[^\s#])/g;
  next.lastIndex = found.offset;
  if (next.exec(found.text) === null) return unspecific(found);
  return {
    offset: next.lastIndex,
    message: 'This line is indented deeper than the one above it, which has a value already',
    hint: 'Indent all entries of a mapping equally.',
  };
}

function unclosedBracket(found: Found): Wording {
  const offset = openBracket(found) ?? found.offset;
  const hint = 'Add the closing bracket; lines within brackets are indented deeper than their key.';
  return { offset, message: `The bracket "${found.text[offset] ?? ''}" is not closed`, hint };
}

function unclosedQuote(found: Found): Wording {
  const offset = lastQuoteBefore(found);
  return { offset, message: 'The quote is not closed', hint: 'Add the closing quote.' };
}

function unexpected(found: Found): Wording {
  if (found.message.startsWith('Not a YAML token'))
    return { message: 'A text after | or > begins on the next line', hint: 'Begin a new line, and indent the text.' };
  if (lineStart(found) === found.offset) return misplacedLine(found);
  const character = found.text[found.offset] ?? '';
  if (']}'.includes(character)) return { message: `The "${character}" closes no bracket`, hint: 'Remove it.' };
  if (character === ',') return { message: 'There is no entry before the comma', hint: 'Remove the comma.' };
  const hint = 'Put the whole text in quotes of the other kind, or write it as a block after |.';
  return { message: 'Nothing may follow a closing quote or bracket', hint };
}

/** Returns the offset of the last bracket that is open where the parser found the error. */
function openBracket({ text, offset }: Found): number | undefined {
  const open: number[] = [];
  for (const token of tokensOf(text)) {
    if (token.offset >= offset) break;
    if (token.mark === '[' || token.mark === '{') open.push(token.offset);
    if (token.mark === ']' || token.mark === '}') open.pop();
  }
  return open.at(-1);
}

/** Returns the offset of the last quoted text that begins before the place of the error. */
function lastQuoteBefore({ text, offset }: Found): number {
  let last = offset;
  for (const token of tokensOf(text)) {
    if (token.offset >= offset) break;
    if (token.mark.startsWith('"') || token.mark.startsWith("'")) last = token.offset;
  }
  return last;
}

const startOfLine = ({ text, offset }: Found): number => text.lastIndexOf('\n', offset - 1) + 1;

const endOfLine = ({ text, offset }: Found): number => {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
};

const lineOf = (found: Found): string => found.text.slice(startOfLine(found), endOfLine(found));

const restOfLine = (found: Found): string => found.text.slice(found.offset, endOfLine(found));

/** Returns the offset of the first character of a line that is not a space. */
const lineStart = (found: Found): number => startOfLine(found) + (/^[ \t]*/.exec(lineOf(found))?.[0].length ?? 0);
