import { createVocabulary } from '@millrace/catalog';
import { workflowJsonSchema } from '@millrace/core';
import type { JsonSchema } from './schema-tables.ts';
import { fieldTable, pageOf } from './schema-tables.ts';

const introduction = `# Workflow files

Every field of a workflow file, from the JSON Schema that \`millrace schema\` prints. [Writing workflows](../guide/workflows.md)
explains them with examples. A variable such as \`\${NAME}\` can stand for any value.

## file
`;

/** Returns the reference of workflow files. */
export function workflowPage(): string {
  // A JSON Schema is JSON; the interface names the parts that are shown.
  const schema = workflowJsonSchema(createVocabulary()) as JsonSchema;
  const { placeholder: _variable, settings = {}, ...parts } = schema.$defs ?? {};
  const sections = Object.entries(parts).flatMap(([name, part]) => {
    const whole = name === 'node' ? { ...part, allOf: settings.allOf ?? [] } : part;
    return [`## ${name}`, ...partLines(whole, name)];
  });
  return pageOf([introduction.trimEnd(), ...fieldTable(schema), ...sections]);
}

/** Returns the table of a part, and a section for each of its types; a part that can be written in several ways has more. */
function partLines(part: JsonSchema, name: string): readonly string[] {
  const forms = [part, ...(part.anyOf ?? []), ...(part.oneOf ?? [])];
  const objects = forms.filter(({ properties }) => properties !== undefined);
  const texts = part.description === undefined ? [] : ['', part.description];
  if (objects.length === 0) return [...texts, '', waysOf(forms), ''];
  return [
    ...texts,
    ...objects.flatMap((object) => [
      ...fieldTable(object),
      ...typeSections(object, name),
      ...Object.entries(object.properties ?? {}).flatMap(([field, schema]) => nestedTypes(schema, `${name}.${field}`)),
    ]),
  ];
}

const waysOf = (forms: readonly JsonSchema[]): string => {
  const named = forms.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref.split('/').at(-1) ?? '']));
  return named.length === 0
    ? 'Any value.'
    : `One of: ${named.map((one) => `[${one}](#${one.toLowerCase()})`).join(', ')}.`;
};

function nestedTypes(schema: JsonSchema, name: string): readonly string[] {
  return [schema, ...(schema.anyOf ?? [])].flatMap((form) => typeSections(form, name));
}

/** Returns a section for each type of a part whose settings depend on its type. */
function typeSections({ allOf = [], properties }: JsonSchema, name: string): readonly string[] {
  const meanings = new Map((properties?.['type']?.oneOf ?? []).map((one) => [one.const, one.description ?? '']));
  return allOf.flatMap((rule) => {
    const type = rule.if?.properties?.['type']?.const;
    const config = rule.then?.properties?.['config'];
    if (typeof type !== 'string' || config === undefined) return [];
    const table = [config, ...(config.anyOf ?? [])].flatMap(fieldTable);
    return ['', `### ${name} \`${type}\``, '', meanings.get(type) ?? '', ...(table.length === 0 ? [''] : table)];
  });
}
