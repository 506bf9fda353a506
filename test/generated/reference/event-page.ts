import { RunEvent } from '@millrace/api';
import { JournalEvent } from '@millrace/core/schemas';
import { z } from 'zod';
import type { JsonSchema } from './schema-tables.ts';
import { fieldTable, pageOf, typeOf } from './schema-tables.ts';

const introduction = `# Events

Everything that happens in a run is an event of its journal. These are read in four ways, and look the same in each:

- \`GET /v1/runs/{id}/events\` as a stream of server-sent events, or as pages of JSON ([HTTP](../guide/http.md))
- \`run.events()\` and \`run.journal()\` of the [client](../guide/client.md), which has a type for each event
- \`millrace journal RUN --json\`, a line for each event
- \`millrace logs RUN\`, as sentences

\`\`\`json
{
  "id": "7-0",
  "at": 1767225600000,
  "event": {
    "type": "activation.completed",
    "activation": "a4",
    "nodeId": "Writer",
    "nodeType": "agent",
    "graph": "",
    "iteration": 2,
    "text": "The library opens at nine, and …",
    "outputs": [{ "id": "m9", "role": "assistant", "source": "Writer" }],
    "routes": [{ "edge": 0, "output": 0, "message": { "id": "m9", "role": "user", "source": "Writer" } }]
  }
}
\`\`\`

An event names its node, the type of the node and, in fan-outs and loops, the unit and the iteration. \`text\` is the beginning
of what was said, asked or answered, or of the error: 200 characters at most, then \`…\` if there are more. It is absent for
nodes with \`log_output: false\`. Secrets are masked in it as everywhere. The operation \`runs.message\` returns the whole
text of a message by its id.

Later versions add types and fields: ignore those that you do not know.
`;

/** Returns the reference of events. */
export function eventPage(): string {
  const { properties = {}, required = [] } = definitionsIn(RunEvent)['RunEvent'] ?? {};
  const schemas = eventSchemas();
  const events = [...schemas].filter(([, schema]) => typeIn(schema) !== undefined);
  const others = [...schemas].filter(([name, schema]) => typeIn(schema) === undefined && name !== 'JournalEvent');
  return pageOf([
    introduction,
    '## Fields of every event',
    ...fieldTable({
      properties: { ...properties, event: { type: 'object', description: 'The event, by its type; see below.' } },
      required,
    }),
    '## Types',
    '',
    '| Type | Meaning |',
    '|---|---|',
    ...events.map(([, schema]) => `| [\`${typeIn(schema)}\`](#${anchorOf(schema)}) | ${schema.description} |`),
    '',
    ...events.flatMap(([, schema]) => eventLines(schema)),
    '## Shapes',
    '',
    ...others.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, schema]) => [`### ${name}`, ...tableOf(schema)]),
  ]);
}

/** Returns the schemas of events, and of what they consist of, by their names. */
export const eventSchemas = (): ReadonlyMap<string, JsonSchema> => new Map(Object.entries(definitionsIn(JournalEvent)));

const typeIn = ({ properties }: JsonSchema): string | undefined => {
  const type = properties?.['type']?.const;
  return typeof type === 'string' ? type : undefined;
};

/** Returns the anchor of the heading of a type. */
const anchorOf = (schema: JsonSchema): string => (typeIn(schema) ?? '').replaceAll('.', '');

function eventLines(schema: JsonSchema): readonly string[] {
  const { type: _type, ...properties } = schema.properties ?? {};
  return [`### ${typeIn(schema)}`, '', schema.description ?? '', ...tableOf({ ...schema, properties })];
}

function tableOf(schema: JsonSchema): readonly string[] {
  const table = fieldTable(schema);
  return table.length === 0 ? ['', typeOf(schema), ''] : table;
}

const definitionsIn = (schema: z.ZodType): Readonly<Record<string, JsonSchema>> => {
  const options = { io: 'output', unrepresentable: 'any', reused: 'inline' } as const;
  return (z.toJSONSchema(z.object({ of: schema }), options) as JsonSchema).$defs ?? {};
};
