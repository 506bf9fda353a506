import { ModelList } from '@millrace/core';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { Model, ModelChange, modelRows } from './model.ts';

export const listModels = operation({
  name: 'models.list',
  method: 'GET',
  path: '/v1/models',
  cli: 'models',
  scope: 'read',
  summary: 'What the server knows of models: limits, capabilities, prices and retirements',
  output: z.object({ data: z.array(Model) }),
  run: async ({ vocabulary }) => ({ body: { data: [...modelRows(vocabulary.models())] } }),
});

export const updateModels = operation({
  name: 'models.update',
  method: 'PUT',
  path: '/v1/models',
  scope: 'operator',
  summary: 'Update the table of models of the installation: prices, limits and capabilities',
  description:
    'Workers and servers use it within a minute. Facts of the operator’s own files win over it, field by field. A list that leaves out a fact does not remove it.',
  idempotency: 'needless',
  body: z.strictObject({
    list: ModelList.describe('Facts about models.'),
    dryRun: z.boolean().optional().describe('Return the difference, and store nothing.'),
    acceptDrops: z
      .boolean()
      .optional()
      .describe('Accept models that vanish, cost less than half, or can do much less.'),
  }),
  example: {
    list: {
      source: 'https://models.dev/api.json',
      dated: '2026-11-26',
      models: { 'gpt-6-sol': { context: 1_050_000, price: { input: 2, output: 10 } } },
    },
    dryRun: true,
  },
  output: z.object({ changes: z.array(ModelChange), stored: z.boolean().describe('False for a `dryRun`.') }),
  async run({ installation: { models } }, { list, dryRun, acceptDrops }) {
    const changes = await models.update(list, { dryRun, acceptDrops });
    return {
      body: {
        changes: changes.map(({ fields, ...change }) => ({ ...change, fields: [...fields] })),
        stored: dryRun !== true,
      },
    };
  },
});
