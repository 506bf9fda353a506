import type { Operation } from '@millrace/api';
import { operations, resourceOf, resources } from '@millrace/api';
import { z } from 'zod';
import { eventSchemas } from './event-page.ts';
import type { JsonSchema } from './schema-tables.ts';
import { cell, fieldTable, pageOf, typeOf } from './schema-tables.ts';

const introduction = `# HTTP operations

Every operation of the HTTP API, from the definitions that its routes, its OpenAPI document and the client are made from.
The [guide](../guide/http.md) explains them with examples; a server has the OpenAPI document at \`/openapi.json\`.
An error is a problem document with one of the [error codes](../errors/README.md).
`;

/** Returns the reference of operations, resource by resource. */
export function httpPage(): string {
  const groups = Object.entries(resources).filter(([name]) => operations.some((each) => resourceOf(each) === name));
  const sections = groups.flatMap(([resource, description]) => [
    `## ${resource}`,
    '',
    description,
    '',
    ...operations.filter((operation) => resourceOf(operation) === resource).flatMap(operationLines),
  ]);
  const elsewhere = eventSchemas();
  const events = ['### JournalEvent', '', 'One of the [events](events.md) of a run.', ''];
  const named = [...namedSchemas()].sort(([a], [b]) => (a < b ? -1 : 1));
  const own = JSON.stringify(named.filter(([name]) => !elsewhere.has(name)));
  // What events consist of is here, too, if something else has it.
  const isShared = (name: string) => name !== 'JournalEvent' && own.includes(`"#/$defs/${name}"`);
  const schemas = named.filter(([name]) => !elsewhere.has(name) || isShared(name));
  const tables = schemas.flatMap(([name, schema]) => {
    const table = fieldTable(schema);
    return [`### ${name}`, '', schema.description ?? '', ...(table.length === 0 ? ['', typeOf(schema), ''] : table)];
  });
  return pageOf([introduction, ...sections, '## Schemas', '', ...events, ...tables]);
}

/** Returns the schemas that the parts of operations refer to, by their names. */
function namedSchemas(): ReadonlyMap<string, JsonSchema> {
  const parts = operations.flatMap(({ params, query, headers, body, output }) => [
    ...[params, query, headers, body].map((schema) => ({ schema, io: 'input' as const })),
    { schema: output, io: 'output' as const },
  ]);
  const definitions = parts.flatMap(({ schema, io }) =>
    schema === undefined ? [] : Object.entries(jsonSchema(schema, io).$defs ?? {}),
  );
  return new Map(definitions);
}

function operationLines(operation: Operation): readonly string[] {
  const { name, method, path, summary, description, scope, tool, status = 200 } = operation;
  const scopes = [scope].flat().map((one) => `\`${one}\``);
  return [
    `### ${name}`,
    '',
    `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``,
    '',
    [summary.replace(/\.?$/, '.'), description ?? ''].join(' ').trim(),
    '',
    `Scope: ${scopes.join(' or ')}.${tool === undefined ? '' : ' Also a tool of the [MCP server](../guide/mcp.md).'}`,
    ...inputTable(operation),
    ...exampleLines(operation),
    ...outputLines(operation, status),
  ];
}

function inputTable({ params, query, headers, body, upload }: Operation): readonly string[] {
  const parts = { path: params, query, header: headers, body };
  const rows = Object.entries(parts).flatMap(([place, schema]) => {
    if (schema === undefined) return [];
    const { properties, required = [], ...other } = jsonSchema(schema, 'input');
    if (properties === undefined) return [`| | ${place} | ${typeOf(other)} | ${cell(other.description ?? '')} |`];
    return Object.entries(properties).map(([name, field]) => {
      const meaning = [required.includes(name) ? 'Required.' : '', field.description ?? ''].join(' ').trim();
      return `| \`${name}\` | ${place} | ${typeOf(field)} | ${cell(meaning)} |`;
    });
  });
  const file = upload === undefined || upload === 'none' ? [] : ['| `file` | form | file | |'];
  const all = [...rows, ...file];
  return all.length === 0 ? [''] : ['', '| Input | In | Type | Meaning |', '|---|---|---|---|', ...all, ''];
}

const exampleLines = ({ example }: Operation): readonly string[] =>
  example === undefined ? [] : ['A body:', '', '```json', JSON.stringify(example, null, 2), '```', ''];

function outputLines({ output, kind }: Operation, status: number): readonly string[] {
  if (kind === 'content') return [`Response ${status}: contents, which can be read in parts.`, ''];
  if (kind === 'events' || kind === 'live') return [`Response ${status}: a stream of server-sent events.`, ''];
  const schema = jsonSchema(output, 'output');
  const table = fieldTable({ ...schema, required: [] });
  return table.length === 0 ? [`Response ${status}: ${typeOf(schema)}.`, ''] : [`Response ${status}:`, ...table];
}

/** Returns the JSON Schema of a value; what JSON cannot express is any value. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as JsonSchema;
}
