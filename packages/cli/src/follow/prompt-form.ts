import type { Task } from '@millrace/client';
import type { Terminal } from '../output/terminal/terminal.ts';

/** Asks for the fields of a form one after the other; returns undefined if the person declines. The server checks the answer. */
export async function promptForm(
  terminal: Terminal,
  { prompt, node, schema = {} }: Task,
  signal: AbortSignal,
): Promise<{ data: Record<string, unknown> } | undefined> {
  const { properties = {}, required = [] } = schema as Form;
  terminal.say(prompt.trim() || `${node}:`);
  if (Object.keys(properties).length === 0) return promptWhole(terminal, signal);
  const data: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = await promptField(terminal, { name, field, isRequired: required.includes(name) }, signal);
    if (value === undefined) return undefined;
    if (value.type === 'value') data[name] = value.value;
  }
  return { data };
}

/** Returns the fields of a form, each with its values and what it means. */
export const fieldsOf = ({ schema = {} }: Pick<Task, 'schema'>): readonly string[] => {
  const { properties = {}, required = [] } = schema as Form;
  return Object.entries(properties).map(([name, field]) =>
    describeField({ name, field, isRequired: required.includes(name) }),
  );
};

/** Parts of a schema that prompts read; the server has checked it. */
interface Form {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

interface FieldSchema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

interface Field {
  readonly name: string;
  readonly field: FieldSchema;
  readonly isRequired: boolean;
}

type FieldValue = { readonly type: 'absent' } | { readonly type: 'value'; readonly value: unknown };

/** Asks until a value can be read; undefined if the person declines. */
async function promptField(terminal: Terminal, field: Field, signal: AbortSignal): Promise<FieldValue | undefined> {
  const text = await terminal.ask(`${describeField(field)}:`, signal);
  if (text === undefined) return undefined;
  if (text.trim() === '' && !field.isRequired) return { type: 'absent' };
  const value = valueIn(text, field.field);
  if (value !== undefined) return { type: 'value', value };
  terminal.say(`"${text}" is no value of ${field.name}.`);
  return promptField(terminal, field, signal);
}

function describeField({ name, field, isRequired }: Field): string {
  const { description, enum: choices, type } = field;
  const kind = choices === undefined ? (type === 'boolean' ? 'yes or no' : type) : choices.map(wordOf).join(' | ');
  const notes = [kind === undefined || kind === 'string' ? [] : [String(kind)], isRequired ? [] : ['optional']].flat();
  const about = description === undefined ? '' : ` – ${description}`;
  return `${name}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}${about}`;
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const booleans: Readonly<Record<string, boolean>> = {
  yes: true,
  y: true,
  true: true,
  no: false,
  n: false,
  false: false,
};

/** Returns the value that a person has written; undefined if it is none of the field. */
function valueIn(written: string, { type, enum: choices }: FieldSchema): unknown {
  const text = written.trim();
  if (choices !== undefined) return choices.find((choice) => wordOf(choice) === text);
  if (type === 'boolean') return booleans[text.toLowerCase()];
  return type === 'string' ? written : jsonIn(text);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks for the whole answer as JSON, for a schema without fields of its own. */
async function promptWhole(
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ data: Record<string, unknown> } | undefined> {
  const text = await terminal.ask('The answer as a JSON object:', signal);
  if (text === undefined) return undefined;
  const data = jsonIn(text);
  return isFields(data) ? { data } : promptWhole(terminal, signal);
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
