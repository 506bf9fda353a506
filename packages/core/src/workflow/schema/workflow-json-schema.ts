import type { z } from 'zod';
import type { NodeDefinition, Vocabulary } from '../../definitions/define.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { isMapping, mapEntries } from '../document/mapping.ts';
import { bossSchemas } from './boss-json-schema.ts';
import {
  DynamicConfigSchema,
  DynamicSchema,
  EdgeSchema,
  GraphSchema,
  MemoryStoreSchema,
  MessageSchema,
  NodeSchema,
  SubgraphFileSchema,
  SubgraphSchema,
  UseSchema,
  WorkflowSchema,
} from './document-schemas.ts';
import type { JsonSchema } from './json-schema-parts.ts';
import { described, inputSchemaOf, orNull, ref, withFields } from './json-schema-parts.ts';
import { NamedScopeSchema, TerminationLeafSchema, TerminationOptionsSchema } from './termination-schemas.ts';

/**
 * Returns the JSON Schema (draft 2020-12) of workflow documents for this vocabulary; editors complete and check with
 * it.
 */
export function workflowJsonSchema(vocabulary: Vocabulary): JsonSchema {
  const definitions = {
    placeholder: { type: 'string', pattern: '^\\s*\\$\\{[A-Za-z0-9_]+\\}\\s*$', description: 'A variable.' },
    graph: described('A graph: nodes that do the work, and edges that pass their outputs on.', graphSchema(vocabulary)),
    node: described('A node: one unit of work of a graph.', nodeSchema(vocabulary)),
    settings: described('Settings of the node, which depend on its type.', settingsSchema(vocabulary)),
    ...bossSchemas(vocabulary),
    edge: described('An edge, which delivers outputs of one node to another.', edgeSchema()),
    condition: described('Messages that pass an edge: all, none, or those that a condition accepts.', {
      anyOf: [{ type: ['null', 'boolean'] }, { type: 'string', minLength: 1 }, useSchema(vocabulary.conditions)],
    }),
    processor: described('Change of messages on their way over an edge.', {
      anyOf: [{ type: 'null' }, useSchema(vocabulary.processors)],
    }),
    dynamic: described('Execution of the target once for each item of its messages.', dynamicSchema(vocabulary)),
    messages: described('Messages, as texts or as mappings.', messagesSchema()),
    memory: described('A memory store.', memorySchema(vocabulary)),
    scope: described(
      'Nodes of a graph that stop together.',
      withFields(inputSchemaOf(NamedScopeSchema), { termination: ref('termination') }, ['id', 'nodes']),
    ),
    termination: described('Conditions that stop a graph or a scope: one, a list, or a tree.', terminationSchema()),
    terminationCondition: described('A condition, or a group of conditions.', conditionSchema()),
    terminationLeaf: described('A condition by its type.', leafSchema(vocabulary)),
  };
  const root = withFields(inputSchemaOf(WorkflowSchema), { graph: ref('graph') }, ['graph']);
  const open = Object.entries(definitions).map(([name, schema]) => [name, withPlaceholders(schema)]);
  return withEntryDescriptions({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:millrace:workflow-schema',
    title: 'Workflow',
    description: 'A workflow of Millrace: a graph of agents, people and code.',
    ...root,
    $defs: Object.fromEntries(open),
  });
}

function graphSchema({ toolPolicy }: Vocabulary): JsonSchema {
  const nodes = { type: 'array', minItems: 1, items: ref('node') };
  const edges = { type: ['array', 'null'], items: ref('edge') };
  const memory = { type: ['array', 'null'], items: ref('memory') };
  const scopes = { type: ['array', 'null'], items: ref('scope') };
  const vars = { maxProperties: 0 };
  const policy = toolPolicy === undefined ? {} : { tool_policy: orNull(inputSchemaOf(toolPolicy.config)) };
  const fields = { nodes, edges, memory, scopes, termination: ref('termination'), ...policy, vars };
  return withFields(inputSchemaOf(GraphSchema), fields, ['nodes']);
}

/** Returns the schema of the settings of a type, described by what the type is for. */
const settingsOf = (name: string, summary: string, schema: JsonSchema): JsonSchema =>
  described(`Settings of ${name}: ${summary}`, schema);

/** Returns one rule for each node type, because the settings depend on the type. */
function settingsSchema({ nodes }: Vocabulary): JsonSchema {
  const rules = [...nodes].map(([name, { config, summary, traits }]) => ({
    if: { properties: { type: { const: name } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { config: settingsOf(name, summary, configSchema(config, traits?.container)) } },
  }));
  return { allOf: rules };
}

function nodeSchema({ nodes }: Vocabulary): JsonSchema {
  const types = [...nodes].map(([name, { summary }]) => ({ const: name, description: summary }));
  const fields = {
    type: { oneOf: types, description: 'Type of the node.' },
    config: { type: 'object' },
    input: ref('messages'),
    output: ref('messages'),
  };
  return { ...withFields(inputSchemaOf(NodeSchema), fields, ['id', 'type', 'config']), allOf: [ref('settings')] };
}

function configSchema(config: NodeDefinition['config'], container: 'subgraph' | 'boss' | undefined): JsonSchema {
  if (container === 'subgraph') return subgraphSchema();
  return container === 'boss' ? ref('boss') : inputSchemaOf(config);
}

function memorySchema({ memories }: Vocabulary): JsonSchema {
  const { properties, allOf } = useSchema(memories, (config) => orNull(inputSchemaOf(config)));
  const { type } = isMapping(properties) ? properties : {};
  const config = { type: ['object', 'null'] };
  return { ...withFields(inputSchemaOf(MemoryStoreSchema), { type, config }, ['name', 'type']), allOf };
}

function subgraphSchema(): JsonSchema {
  const when = (type: string, config: JsonSchema): JsonSchema => ({
    if: { properties: { type: { const: type } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { config } },
  });
  return {
    ...withFields(inputSchemaOf(SubgraphSchema), { termination: ref('termination'), vars: { maxProperties: 0 } }, [
      'type',
      'config',
    ]),
    allOf: [
      when('config', ref('graph')),
      when('file', described('The file of the graph.', inputSchemaOf(SubgraphFileSchema))),
    ],
  };
}

function edgeSchema(): JsonSchema {
  return withFields(
    inputSchemaOf(EdgeSchema),
    {
      condition: ref('condition'),
      processor: ref('processor'),
      process: { ...ref('processor'), description: 'Another spelling of processor.' },
      dynamic: ref('dynamic'),
    },
    ['from', 'to'],
  );
}

function dynamicSchema({ splitters }: Vocabulary): JsonSchema {
  const split = { anyOf: [{ type: 'null' }, useSchema(splitters)] };
  const config = { anyOf: [{ type: 'null' }, inputSchemaOf(DynamicConfigSchema)] };
  return { anyOf: [{ type: 'null' }, withFields(inputSchemaOf(DynamicSchema), { split, config }, ['type'])] };
}

const group = { type: 'array', minItems: 1, items: ref('terminationCondition') };

function terminationSchema(): JsonSchema {
  const options = inputSchemaOf(TerminationOptionsSchema).properties;
  const tree = ref('terminationCondition');
  return { anyOf: [{ type: 'null' }, group, { ...tree, properties: options }] };
}

const groupDescriptions = {
  any_of: 'Conditions of which one must be satisfied.',
  all_of: 'Conditions that must all be satisfied, at any time each.',
};

function conditionSchema(): JsonSchema {
  const groups = Object.entries(groupDescriptions).map(([name, description]) => ({
    properties: { [name]: described(description, group) },
    required: [name],
  }));
  return { oneOf: [...groups, ref('terminationLeaf')] };
}

function leafSchema({ terminations }: Vocabulary): JsonSchema {
  const { properties, allOf } = useSchema(terminations);
  const { type } = isMapping(properties) ? properties : {};
  return { ...withFields(inputSchemaOf(TerminationLeafSchema), { type, config: { type: 'object' } }, ['type']), allOf };
}

function messagesSchema(): JsonSchema {
  const text = { type: ['string', 'number', 'boolean'] };
  const message = withFields(inputSchemaOf(MessageSchema), { content: { type: ['string', 'array'] } }, [
    'role',
    'content',
  ]);
  return { anyOf: [text, message, { type: 'array', items: { anyOf: [text, message] } }] };
}

type Registry = ReadonlyMap<string, { readonly config: z.ZodType<unknown>; readonly summary: string }>;

function useSchema(
  registry: Registry,
  configSchema: (config: z.ZodType<unknown>) => JsonSchema = inputSchemaOf,
): JsonSchema {
  const rules = [...registry].map(([name, { config, summary }]) => ({
    if: { properties: { type: { const: name } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { config: settingsOf(name, summary, configSchema(config)) } },
  }));
  const types = [...registry].map(([name, { summary }]) => ({ const: name, description: summary }));
  return { ...withFields(inputSchemaOf(UseSchema), { type: { oneOf: types } }, ['type']), allOf: rules };
}

/** Lets numbers, booleans and choices also be a placeholder, because a variable may stand for them. */
function withPlaceholders(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withPlaceholders);
  if (!isMapping(schema)) return schema;
  return mapEntries(schema, (key, value) =>
    key === 'properties' && isMapping(value) ? withPlaceholderChoice(value) : withPlaceholders(value),
  );
}

function withPlaceholderChoice(properties: JsonSchema): JsonSchema {
  return mapEntries(properties, (_name, field) => {
    const inner = withPlaceholders(field);
    if (!isMapping(inner) || !isScalarChoice(inner)) return inner;
    const { description, default: fallback, ...rest } = inner;
    return omitUndefined({ anyOf: [rest, ref('placeholder')], description, default: fallback });
  });
}

const isScalarChoice = ({ type, enum: choices }: JsonSchema): boolean =>
  type === 'number' || type === 'integer' || type === 'boolean' || Array.isArray(choices);

const alternatives = new Set(['anyOf', 'oneOf', 'allOf']);
const entries = new Set(['items', 'additionalProperties']);
const branches = new Set(['if', 'then']);
const named = new Set(['properties', '$defs']);

/** Gives entries of lists and values of mappings the description of their list, where they have none of their own. */
function withEntryDescriptions(schema: JsonSchema, inherited?: unknown): JsonSchema {
  const description = schema['description'] ?? inherited;
  const within = (value: unknown) => (isMapping(value) ? withEntryDescriptions(value, description) : value);
  return mapEntries(schema, (key, value) => {
    if (alternatives.has(key) && Array.isArray(value)) return value.map(within);
    if (!isMapping(value)) return value;
    // The names of fields are no keywords.
    if (named.has(key)) return mapEntries(value, (_name, field) => describedPart(field));
    if (entries.has(key)) return describedPart(value, description);
    return branches.has(key) ? withEntryDescriptions(value) : value;
  });
}

function describedPart(part: unknown, description?: unknown): unknown {
  if (!isMapping(part)) return part;
  const own = description === undefined || '$ref' in part ? part : { description, ...part };
  return withEntryDescriptions(own);
}
