/*
 * Forms that are made from the schema of a question. The server has checked the schema, and compares the answer with it; what
 * this form does not understand is written as JSON.
 */

/** JSON Schema, as far as forms read it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A field of a form: what the person writes is a text, from which its value is read. */
export interface SchemaField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly description?: string;
  readonly control: Control;
}

/** How a field is written. */
export type Control =
  | { readonly type: 'choice'; readonly values: readonly unknown[] }
  | { readonly type: 'number'; readonly min?: number; readonly max?: number; readonly isWhole: boolean }
  | { readonly type: 'text'; readonly input: 'text' | 'date' | 'email' | 'url'; readonly isLong: boolean }
  | { readonly type: 'json' };

/** Texts of fields by their names. */
export type Texts = Readonly<Record<string, string>>;

/** Returns the fields of a form; undefined if the whole answer is written as JSON. */
export function fieldsOf(root: Schema): readonly SchemaField[] | undefined {
  const { properties, required } = resolved(root, root);
  if (!isSchema(properties)) return undefined;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) => {
    const field = isSchema(schema) ? resolved(schema, root) : {};
    const about = (isSchema(schema) ? schema['description'] : undefined) ?? field['description'];
    return {
      name,
      isRequired: names.includes(name),
      control: controlOf(field),
      ...(typeof about === 'string' ? { description: about } : {}),
    };
  });
}

/** Returns the texts with which a form begins. */
export const initialTexts = (root: Schema): Texts => {
  const { properties } = resolved(root, root);
  return Object.fromEntries(
    Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, schema]) =>
      isSchema(schema) && schema['default'] !== undefined ? [[name, wordOf(schema['default'])]] : [],
    ),
  );
};

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** References of a schema that are followed. */
const mostReferences = 20;

function resolved(schema: Schema, root: Schema): Schema {
  const definitions = isSchema(root['$defs']) ? root['$defs'] : {};
  let found = schema;
  for (let followed = 0; followed < mostReferences; followed++) {
    const name = String(found['$ref'] ?? '').replace(/^#\/\$defs\//, '');
    const next = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!isSchema(next)) return found;
    found = next;
  }
  return found;
}

/** Characters above which a text has several lines. */
const longText = 120;

function controlOf(schema: Schema): Control {
  const { enum: choices, type } = schema;
  if ('const' in schema) return { type: 'choice', values: [schema['const']] };
  if (Array.isArray(choices)) return { type: 'choice', values: choices };
  if (type === 'boolean') return { type: 'choice', values: [true, false] };
  if (type === 'number' || type === 'integer') return numberControl(schema);
  return type === 'string' ? textControl(schema) : { type: 'json' };
}

const numberControl = ({ type, minimum, maximum }: Schema): Control => ({
  type: 'number',
  isWhole: type === 'integer',
  ...(typeof minimum === 'number' ? { min: minimum } : {}),
  ...(typeof maximum === 'number' ? { max: maximum } : {}),
});

function textControl({ format, maxLength }: Schema): Control {
  const input = format === 'date' || format === 'email' ? format : format === 'uri' ? 'url' : 'text';
  const isLong = format === undefined && !(typeof maxLength === 'number' && maxLength <= longText);
  return { type: 'text', input, isLong };
}

/** Returns a choice in words. */
export const wordOf = (value: unknown): string =>
  value === true ? 'yes' : value === false ? 'no' : typeof value === 'string' ? value : JSON.stringify(value);

/** The data of a form, and the reason why they cannot be sent yet. */
export interface FormData {
  readonly data: Readonly<Record<string, unknown>>;
  readonly obstacle?: string;
}

/** Reads the data of a form. */
export function dataOf(fields: readonly SchemaField[], texts: Texts): FormData {
  const data: Record<string, unknown> = {};
  const obstacles: string[] = [];
  for (const field of fields) {
    const { name, isRequired } = field;
    const text = texts[name] ?? '';
    if (text === '') {
      if (isRequired) obstacles.push(`${name} is missing.`);
      continue;
    }
    const value = readValue(field, text);
    if (value === undefined) obstacles.push(`${name} is not ${nouns[field.control.type]}.`);
    else data[name] = value;
  }
  const [obstacle] = obstacles;
  return obstacle === undefined ? { data } : { data, obstacle };
}

const nouns = { choice: 'one of its values', number: 'a number', text: 'a text', json: 'JSON' } as const;

function readValue({ control }: SchemaField, text: string): unknown {
  switch (control.type) {
    case 'choice':
      return control.values.find((value) => wordOf(value) === text);
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'text':
      return text;
    case 'json':
      return jsonIn(text);
  }
}

/** Returns the value of a JSON text; undefined if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the answer to a question whose schema has no fields of its own. */
export function wholeDataOf(text: string): FormData {
  const data = jsonIn(text);
  return isSchema(data) ? { data } : { data: {}, obstacle: 'The answer is not a JSON object.' };
}
