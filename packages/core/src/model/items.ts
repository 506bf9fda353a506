import type { MessageBody } from './message.ts';

/** What the units of fan-outs are about, by the names that authors gave it: JSON values, or texts. */
export type Items = Readonly<Record<string, unknown>>;

/** The items that a message carries; it is about them until its unit is joined with others. */
export function itemsOf({ metadata }: Pick<MessageBody, 'metadata'>): Items {
  const items = metadata?.['items'];
  return isFields(items) ? items : {};
}

/** The message with exactly these items; the very same one when it has them already. */
export function withItems<M extends Pick<MessageBody, 'metadata'>>(message: M, items: Items): M {
  if (JSON.stringify(itemsOf(message)) === JSON.stringify(items)) return message;
  const { items: _others, ...facts } = message.metadata ?? {};
  const { metadata: _before, ...rest } = message;
  const metadata = Object.keys(items).length === 0 ? facts : { ...facts, items };
  // Only metadata is exchanged, and it may be absent in every message.
  return (Object.keys(metadata).length === 0 ? rest : { ...rest, metadata }) as M;
}

/**
 * Replaces `{{name}}` and `{{name.field}}` where the name is that of an item and the field is there; every other
 * `{{…}}` stays as it is. `put` may write something else in place of the text.
 */
export function fillItems(text: string, items: Items, put: (text: string) => string = (same) => same): string {
  return text.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (written, expression: string) => {
    const found = itemText(items, expression);
    return found === undefined ? written : put(found);
  });
}

/** Texts stand as they are, everything else as JSON. */
function itemText(items: Items, expression: string): string | undefined {
  const [name = '', ...fields] = expression.split('.');
  if (!Object.hasOwn(items, name)) return undefined;
  const value = fields.length === 0 ? items[name] : fieldOf(items[name], fields);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A text may be an object too: that of one line, or of a whole message. */
function fieldOf(value: unknown, fields: readonly string[]): unknown {
  let found = typeof value === 'string' ? parsed(value) : value;
  for (const field of fields) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, field)) return undefined;
    found = Reflect.get(found, field);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON has no fields.
    return undefined;
  }
}

const isFields = (value: unknown): value is Items =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
