import type { Vocabulary } from '@millrace/core';
import { workflowJsonSchema } from '@millrace/core';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';

export const getWorkflowSchema = operation({
  name: 'schemas.workflow',
  method: 'GET',
  path: '/v1/schemas/workflow.json',
  scope: 'read',
  summary: 'The JSON Schema of workflow files, for editors',
  description: 'It includes the functions that are added to this installation.',
  output: z.record(z.string(), z.unknown()).describe('A JSON Schema, draft 2020-12.'),
  run: async ({ vocabulary }) => ({ body: schemaOf(vocabulary) }),
});

/** Cache of schemas by vocabulary; a process has one. */
const known = new WeakMap<Vocabulary, Record<string, unknown>>();

function schemaOf(vocabulary: Vocabulary): Record<string, unknown> {
  const before = known.get(vocabulary);
  if (before !== undefined) return before;
  const schema = { ...workflowJsonSchema(vocabulary) };
  known.set(vocabulary, schema);
  return schema;
}
