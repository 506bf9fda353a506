import type { MessageBody } from './message.ts';
import { isMapping } from './variables.ts';

/**
 * Conditions on the data of an event: paths such as `order.id` with the values that are accepted there. Values are
 * compared as text.
 */
export type SignalFilter = Readonly<Record<string, readonly string[]>>;

/** Values of an event's data at paths that filters name, as text. */
export type SignalFields = Readonly<Record<string, string>>;

/** Most characters of a value that a filter compares; longer ones match nothing. */
const maxFieldChars = 1000;

/** Returns the values at these paths, as text. Lists and mappings have none. */
export function fieldsOf(data: unknown, paths: Iterable<string>): SignalFields {
  const fields: [string, string][] = [];
  for (const path of paths) {
    const text = fieldText(valueAt(data, path));
    if (text !== undefined && text.length <= maxFieldChars) fields.push([path, text]);
  }
  return Object.fromEntries(fields);
}

/** Returns a value as text, as filters compare it; undefined for lists, mappings and nothing. */
export const fieldText = (value: unknown): string | undefined =>
  value === undefined || (typeof value === 'object' && value !== null) ? undefined : String(value);

function valueAt(data: unknown, path: string): unknown {
  let found = data;
  for (const field of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, field)) return undefined;
    found = Reflect.get(found, field);
  }
  return found;
}

/** Returns whether an event with these values passes a filter. */
export const passesFilter = (fields: SignalFields, filter: SignalFilter): boolean =>
  Object.entries(filter).every(([path, accepted]) => {
    const field = Object.hasOwn(fields, path) ? fields[path] : undefined;
    return field !== undefined && accepted.includes(field);
  });

/** An event from outside as a message: a text as it is, a mapping as data, anything else as JSON. */
export function signalBody({ name, data, id }: { name: string; data?: unknown; id?: string | undefined }): MessageBody {
  const text = typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data);
  return {
    role: 'user',
    content: isMapping(data) ? [{ type: 'data', data, text }] : text,
    metadata: { signal: id === undefined ? { name } : { name, id } },
  };
}

/** The answer to a wait for an event whose time is over. */
export const signalTimeout: MessageBody = { role: 'user', content: '', metadata: { signal: { timed_out: true } } };

/** Returns whether the answer to a wait says that its time is over. */
export const isSignalTimeout = ({ metadata }: Pick<MessageBody, 'metadata'>): boolean =>
  isMapping(metadata?.signal) && metadata.signal.timed_out === true;
