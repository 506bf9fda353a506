import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { loadSchema, loadYamlPlace } from './schema-source.ts';
import type { DocumentPath } from './schema-walk.ts';
import { isSchema, schemasAt } from './schema-walk.ts';
import type { SchemaWord } from './schema-words.ts';
import { fieldsOf, valuesOf } from './schema-words.ts';
import type { WrittenWord } from './yaml-place.ts';

/** Offers the fields and values that the JSON Schema knows for the place at the cursor, and the ids of nodes. */
export async function completeWorkflow({
  state,
  pos,
  explicit,
  aborted,
}: CompletionContext): Promise<CompletionResult | null> {
  const [schema, { wordBefore }] = await Promise.all([loadSchema(), loadYamlPlace()]);
  if (schema === undefined || aborted) return null;
  const written = wordBefore(state.doc.toString(), pos);
  if (written === undefined || (!explicit && written.from === pos && written.kind === 'key')) return null;
  const { kind, path, value, from } = written;
  const schemas = schemasAt(schema, path, value);
  const options =
    kind === 'key'
      ? [...keysFor(written, fieldsOf(schemas)), ...valuesOf(schemas).map((word) => optionOf(word, 'enum'))]
      : [...nodesFor(path, value), ...valuesOf(schemas).map((word) => optionOf(word, 'enum'))];
  return options.length === 0 ? null : { from, options, validFor: /^[\w$.-]*$/ };
}

/** Returns the fields that the mapping does not have yet. */
function keysFor({ path, value }: WrittenWord, fields: readonly SchemaWord[]): readonly Completion[] {
  const there = valueAt(value, path);
  const known = isSchema(there) ? there : {};
  return fields
    .filter(({ word }) => !Object.hasOwn(known, word))
    .map((field) => ({ ...optionOf(field, 'property'), apply: `${field.word}: ` }));
}

const optionOf = ({ word, description, isRequired }: SchemaWord, type: string): Completion => ({
  label: word,
  type,
  ...(description === undefined ? {} : { info: description }),
  ...(isRequired ? { detail: 'required', boost: 10 } : {}),
});

/** Fields whose values are ids of nodes. */
const referring: ReadonlySet<unknown> = new Set(['from', 'to', 'start', 'end', 'nodes']);

/** Returns the ids of the nodes of the graph around a place that names a node. */
function nodesFor(path: DocumentPath, value: unknown): readonly Completion[] {
  const field = path.findLast((step) => typeof step === 'string');
  if (!referring.has(field)) return [];
  for (let length = path.length - 1; length >= 0; length--) {
    const around = valueAt(value, path.slice(0, length));
    if (!isSchema(around) || !Array.isArray(around['nodes'])) continue;
    const ids = around['nodes'].flatMap((node) =>
      isSchema(node) && typeof node['id'] === 'string' ? [node['id']] : [],
    );
    if (ids.length > 0) return ids.map((label) => ({ label, type: 'variable', detail: 'node', boost: 20 }));
  }
  return [];
}

const valueAt = (value: unknown, path: DocumentPath): unknown =>
  path.reduce<unknown>(
    (inner, step) => (Array.isArray(inner) ? inner[Number(step)] : isSchema(inner) ? inner[String(step)] : undefined),
    value,
  );
