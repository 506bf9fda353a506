import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { ModelName } from '../../support/runs/typed-agents.ts';
import { modelNames, openTypedStage, typedSchemas } from '../../support/runs/typed-agents.ts';

const typed = openBeforeAll(() => openTypedStage());

/** Models that refuse a mode, which are asked again in another one. */
const refusing = new Set(['Anthropic, without a form of answers native', 'a local model tool']);

describe('answers with schemas of all kinds', () => {
  const cases = modelNames.flatMap((model: ModelName) =>
    (['auto', 'native', 'tool', 'json'] as const).map((mode) => ({ model, mode })),
  );

  it.each(cases)('come from $model in the mode $mode, and are valid', async ({ model, mode }) => {
    const { description, outputs, refusals } = await typed.run(
      ...typedSchemas.map((schema) => ({ model, output: { schema, mode } })),
    );

    expect([description.status, description.error]).toEqual(['completed', undefined]);
    if (!refusing.has(`${model} ${mode}`)) expect(refusals).toEqual([]);
    const blocks = outputs.map((message) => (typeof message?.content === 'object' ? message.content : []));
    expect(blocks.map(([block, ...more]) => [block?.type, more])).toEqual(typedSchemas.map(() => ['data', []]));
    for (const [at, schema] of typedSchemas.entries()) {
      const [block] = blocks[at] ?? [];
      const required = Array.isArray(schema['required']) ? schema['required'] : [];
      expect(Object.keys(block?.type === 'data' ? block.data : {})).toEqual(expect.arrayContaining(required));
    }
  });
});
