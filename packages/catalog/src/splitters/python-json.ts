/** A number as written, because 1.0 and large integers do not survive as JavaScript numbers. */
export interface JsonNumber {
  readonly number: string;
}

/** A JSON value that keeps what JavaScript's parser loses: the spelling of numbers and the order of fields. */
export type JsonValue = string | boolean | null | JsonNumber | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

/** Parses JSON as Python's `json.loads` does, NaN and Infinity included. Undefined if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  const reader: Reader = { text, position: 0 };
  try {
    const value = readValue(reader);
    return next(reader) === '' ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the value as JavaScript's own parser would. */
export function plain(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isFields(value)) return Object.fromEntries([...value].map(([key, field]) => [key, plain(field)]));
  return isList(value) ? value.map(plain) : Number(value.number);
}

/** Returns whether a value is a list. */
export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** Returns whether a value is an object, as a map of its fields. */
export const isFields = (value: JsonValue | undefined): value is ReadonlyMap<string, JsonValue> => value instanceof Map;

interface Reader {
  readonly text: string;
  position: number;
}

const token =
  /[ \t\n\r]*(?:([[\]{},:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN|true|false|null)|$)/sy;

const literals: ReadonlyMap<string, JsonValue> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Returns the next token; empty at the end of the text. */
function next(reader: Reader): string {
  token.lastIndex = reader.position;
  const match = token.exec(reader.text);
  if (match === null) throw new SyntaxError(`Unexpected text at ${reader.position}`);
  reader.position += match[0].length;
  return match[1] ?? '';
}

function readValue(reader: Reader, first = next(reader)): JsonValue {
  if (first === '[') return readList(reader);
  if (first === '{') return readObject(reader);
  if (first.startsWith('"')) return readString(first);
  const word = literals.get(first);
  if (word !== undefined) return word;
  if (first === '' || /^[\]},:]$/.test(first)) throw new SyntaxError(`Unexpected "${first}"`);
  return { number: first };
}

/** Parses a string. JavaScript's parser reads strings as Python's does, and refuses control characters. */
const readString = (written: string): string => JSON.parse(written) as string;

function readList(reader: Reader): JsonValue {
  const items: JsonValue[] = [];
  let first = next(reader);
  if (first === ']') return items;
  for (;;) {
    items.push(readValue(reader, first));
    if (ends(reader, ']')) return items;
    first = next(reader);
  }
}

function readObject(reader: Reader): JsonValue {
  const fields = new Map<string, JsonValue>();
  let key = next(reader);
  if (key === '}') return fields;
  for (;;) {
    if (!key.startsWith('"')) throw new SyntaxError(`Unexpected "${key}"`);
    if (next(reader) !== ':') throw new SyntaxError('Expected ":"');
    fields.set(readString(key), readValue(reader));
    if (ends(reader, '}')) return fields;
    key = next(reader);
  }
}

/** Returns true if the closing bracket comes, false if a comma does. */
function ends(reader: Reader, bracket: string): boolean {
  const found = next(reader);
  if (found !== bracket && found !== ',') throw new SyntaxError(`Unexpected "${found}"`);
  return found === bracket;
}
