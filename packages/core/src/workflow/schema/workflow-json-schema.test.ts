import { describe, expect, it } from 'vitest';
import { smallVocabulary } from '../../../test-support/workflow-vocabulary.ts';
import { workflowJsonSchema } from './workflow-json-schema.ts';

describe('workflowJsonSchema', () => {
  const schema = workflowJsonSchema(smallVocabulary);

  it('is a JSON Schema of draft 2020-12 with the node types of the vocabulary', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['graph'],
      $defs: {
        node: {
          required: ['id', 'type', 'config'],
          properties: { type: { oneOf: expect.arrayContaining([{ const: 'human', description: 'Asks a person.' }]) } },
        },
        edge: { required: ['from', 'to'], properties: { condition: { $ref: '#/$defs/condition' } } },
      },
    });
  });

  it('describes the settings of each type, and lets a variable stand for a number', () => {
    expect(schema).toMatchObject({
      $defs: {
        node: { allOf: [{ $ref: '#/$defs/settings' }] },
        settings: {
          allOf: expect.arrayContaining([
            {
              if: { properties: { type: { const: 'loop_counter' } }, required: ['type'] },
              // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
              then: {
                properties: {
                  config: expect.objectContaining({
                    properties: expect.objectContaining({
                      max_iterations: {
                        description: 'Rounds.',
                        default: 10,
                        anyOf: [
                          expect.objectContaining({ type: 'integer', minimum: 1 }),
                          { $ref: '#/$defs/placeholder' },
                        ],
                      },
                    }),
                  }),
                },
              },
            },
          ]),
        },
      },
    });
  });

  it('accepts a memory store whose settings are left empty', () => {
    const description = expect.any(String);
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    const rule = { then: { properties: { config: { description, anyOf: [{ type: 'null' }, expect.anything()] } } } };

    expect(schema).toMatchObject({
      $defs: { memory: { allOf: expect.arrayContaining([expect.objectContaining(rule)]) } },
    });
  });

  it('is plain JSON whose references all resolve', () => {
    const text = JSON.stringify(schema);
    expect(JSON.parse(text)).toEqual(schema);
    const names = [...text.matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
    expect(Object.keys(schema.$defs as object)).toEqual(expect.arrayContaining(names));
  });
});
