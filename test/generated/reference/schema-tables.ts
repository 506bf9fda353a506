/** The parts of JSON Schema that references show. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** Returns the table of the fields of an object, or nothing for an object without fields. */
export function fieldTable({ properties = {}, required = [], allOf }: JsonSchema): readonly string[] {
  const rows = Object.entries(properties).map(([name, field]) => {
    const notes = [
      required.includes(name) ? 'Required.' : '',
      // Where settings depend on the type, each type has a section of its own.
      name === 'type' && allOf !== undefined ? (field.description ?? '') : describe(field),
      field.default === undefined ? '' : `Default: ${code(field.default)}.`,
    ];
    return `| \`${name}\` | ${typeOf(field)} | ${cell(notes.filter((note) => note !== '').join(' '))} |`;
  });
  return rows.length === 0 ? [] : ['', '| Field | Type | Meaning |', '|---|---|---|', ...rows, ''];
}

/** Returns a description as a cell of a table shows it. */
export const cell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, '\\|').replaceAll('\n', ' ');

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

const describe = ({ description = '', oneOf = [] }: JsonSchema): string =>
  [description, ...(oneOf.every((one) => one.const !== undefined) ? oneOf.map(describeConstant) : [])].join(' ').trim();

const describeConstant = ({ const: value, description }: JsonSchema): string =>
  description === undefined ? '' : `\`${String(value)}\`: ${description}`;

/** Returns the type of a value in words. A variable can stand for any value, so it is not mentioned. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, enum: values, anyOf, oneOf, items } = schema;
  if ($ref !== undefined) return refersTo($ref);
  if (schema.const !== undefined) return cell(code(schema.const));
  if (values !== undefined) return cell(values.map(code).join(', '));
  const parts = anyOf ?? oneOf;
  if (parts !== undefined) return oneOfWords(parts.filter((part) => part.$ref !== '#/$defs/placeholder').map(typeOf));
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (schema.type === undefined) return 'any value';
  return oneOfWords([schema.type].flat().map((type) => (type === 'object' ? 'mapping' : type)));
}

const oneOfWords = (words: readonly string[]): string => {
  const known = [...new Set(words)].filter((word) => word !== 'null');
  return known.join(known.length > 3 ? ', ' : ' or ') || 'null';
};

/** Links to a definition; a reference to one of its fields names the field, too. */
const refersTo = (ref: string): string => {
  const [name = '', , field] = ref.split('/').slice(2);
  const link = `[${name}](#${name.toLowerCase()})`;
  return field === undefined ? link : `\`${field}\` of ${link}`;
};

/** Joins the lines of a page, with one blank line wherever there are more. */
export const pageOf = (lines: readonly string[]): string =>
  `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
