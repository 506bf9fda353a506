import { scriptJsonSchema } from '@millrace/catalog';
import type { JsonSchema } from '@millrace/core';
import { z } from 'zod';
import { TestFile } from './test-file.ts';

/** Returns the JSON Schema (draft 2020-12) of files of tests; editors complete and check with it. */
export function testJsonSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(TestFile, {
    io: 'input',
    override({ jsonSchema, path }) {
      if (path.at(-1) === 'script') Object.assign(jsonSchema, { anyOf: [{ type: 'string' }, scriptJsonSchema()] });
      // Keys that a file of tests does not know are errors.
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false;
    },
  });
  return {
    $schema,
    $id: 'urn:millrace:test-schema',
    title: 'Tests',
    description: 'Tests of a workflow of Millrace.',
    ...schema,
  };
}
