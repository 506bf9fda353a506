import type { MessageBody } from './message.ts';
import { hasTooManyValues, nestsTooDeeply } from './message.ts';

/** Items of the units of fan-outs, by the names that authors gave them: JSON values, or texts. */
export type Items = Readonly<Record<string, unknown>>;

/** Returns the items that a message carries; it carries them until its unit is joined with others. */
export function itemsOf({ metadata }: Pick<MessageBody, 'metadata'>): Items {
  const items = metadata?.['items'];
  return isFields(items) ? items : {};
}

/** Returns the message with exactly these items; the same object if it has them already. */
export function withItems<M extends Pick<MessageBody, 'metadata'>>(message: M, items: Items): M {
  if (JSON.stringify(itemsOf(message)) === JSON.stringify(items)) return message;
  const { items: _items, ...others } = message.metadata ?? {};
  const { metadata: _before, ...rest } = message;
  const metadata = Object.keys(items).length === 0 ? others : { ...others, items };
  // Only metadata is exchanged, and it may be absent in every message.
  return (Object.keys(metadata).length === 0 ? rest : { ...rest, metadata }) as M;
}

/**
 * Replaces `{{name}}` and `{{name.field}}` if the name is that of an item and the field exists; every other `{{…}}` is
 * left. `put` may transform each inserted text.
 */
export function fillItems(text: string, items: Items, put: (text: string) => string = (same) => same): string {
  // A text can be long, and many expressions can be about it.
  const read = remembered(parsed);
  const textOf = remembered((expression) => itemText(items, expression, read));
  return text.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (written, expression: string) => {
    const found = textOf(expression);
    return found === undefined ? written : put(found);
  });
}

/** Returns the same function, which computes each result once. */
function remembered<T>(of: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const value = known.has(text) ? (known.get(text) as T) : of(text); // it was set as T
    known.set(text, value);
    return value;
  };
}

type Parse = (text: string) => unknown;

/** Returns the text for an expression: a text as it is, any other value as JSON; undefined if it does not exist. */
function itemText(items: Items, expression: string, parse: Parse): string | undefined {
  const [name = '', ...fields] = expression.split('.');
  if (!Object.hasOwn(items, name)) return undefined;
  const value = fields.length === 0 ? items[name] : fieldOf(items[name], fields, parse);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns a field of a value; a text may contain an object as JSON: a line, or a whole message. */
function fieldOf(value: unknown, fields: readonly string[], parse: Parse): unknown {
  let found = typeof value === 'string' ? parse(value) : value;
  for (const field of fields) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, field)) return undefined;
    found = Reflect.get(found, field);
  }
  return found;
}

function parsed(text: string): unknown {
  if (nestsTooDeeply(text) || hasTooManyValues(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON has no fields.
    return undefined;
  }
}

const isFields = (value: unknown): value is Items =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
