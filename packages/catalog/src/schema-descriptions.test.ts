import { workflowJsonSchema } from '@millrace/core';
import { expect, it } from 'vitest';
import { createVocabulary } from './index.ts';

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields, definitions, entries of lists and values of mappings by their places; the conditions of `if` are none of them. */
function* partsOf(schema: Schema, place = ''): Generator<readonly [place: string, part: Schema]> {
  const named = [...Object.entries(schema['properties'] ?? {}), ...Object.entries(schema['$defs'] ?? {})];
  const entries = [
    ['[]', schema['items']],
    ['*', schema['additionalProperties']],
  ] as const;
  for (const [name, part] of [...named, ...entries]) {
    if (!isSchema(part)) continue;
    yield [`${place}.${name}`, part];
    yield* partsOf(part, `${place}.${name}`);
  }
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => schema[name] ?? []);
  for (const branch of [...branches, schema['then']]) if (isSchema(branch)) yield* partsOf(branch, place);
}

const schema = workflowJsonSchema(createVocabulary());

it('describes each part of a workflow, in a sentence', () => {
  const parts = [...partsOf(schema)];
  const undescribed = parts.filter(
    ([, { description, $ref }]) => $ref === undefined && !/^\S.{2,}/.test(String(description ?? '')),
  );

  expect(parts.length).toBeGreaterThan(600);
  expect(undescribed.map(([place]) => place)).toEqual([]);
});

it('has an id, and only references to existing definitions', () => {
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)/g)].map(([, name]) => name);

  expect(schema['$id']).toBe('urn:millrace:workflow-schema');
  expect(Object.keys(schema['$defs'] ?? {})).toEqual(expect.arrayContaining([...new Set(references)]));
});
