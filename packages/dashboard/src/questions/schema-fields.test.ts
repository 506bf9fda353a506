import { describe, expect, it } from 'vitest';
import { dataOf, fieldsOf, initialTexts, wholeDataOf } from './schema-fields.ts';

const schema = {
  type: 'object',
  properties: {
    verdict: { enum: ['accept', 'revise', 3] },
    urgent: { type: 'boolean', description: 'It cannot wait.' },
    score: { type: 'integer', minimum: 0, maximum: 10, default: 5 },
    remarks: { type: 'string' },
    contact: { $ref: '#/$defs/contact' },
    places: { type: 'array', items: { type: 'string' } },
  },
  required: ['verdict', 'urgent'],
  $defs: { contact: { type: 'string', format: 'email', description: 'Somebody to ask.' } },
};

describe('the form of a schema', () => {
  it('has a control for each field', () => {
    expect(fieldsOf(schema)).toEqual([
      { name: 'verdict', isRequired: true, control: { type: 'choice', values: ['accept', 'revise', 3] } },
      {
        name: 'urgent',
        isRequired: true,
        description: 'It cannot wait.',
        control: { type: 'choice', values: [true, false] },
      },
      { name: 'score', isRequired: false, control: { type: 'number', isWhole: true, min: 0, max: 10 } },
      { name: 'remarks', isRequired: false, control: { type: 'text', input: 'text', isLong: true } },
      {
        name: 'contact',
        isRequired: false,
        description: 'Somebody to ask.',
        control: { type: 'text', input: 'email', isLong: false },
      },
      { name: 'places', isRequired: false, control: { type: 'json' } },
    ]);
    expect(initialTexts(schema)).toEqual({ score: '5' });
  });

  it.each([{ anyOf: [schema] }, { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, {}])(
    'is one text of JSON for %j',
    (other) => {
      expect(fieldsOf(other)).toBeUndefined();
    },
  );
});

describe('the data of a form', () => {
  const fields = fieldsOf(schema) ?? [];

  it('are the values of what is written, without what is left out', () => {
    const texts = { verdict: '3', urgent: 'no', score: '7', remarks: '', places: '["Rome"]' };
    expect(dataOf(fields, texts)).toEqual({ data: { verdict: 3, urgent: false, score: 7, places: ['Rome'] } });
  });

  it.each([
    [{ urgent: 'yes' }, 'verdict is missing.'],
    [{ verdict: 'maybe', urgent: 'yes' }, 'verdict is not one of its values.'],
    [{ verdict: 'accept', urgent: 'yes', score: 'many' }, 'score is not a number.'],
    [{ verdict: 'accept', urgent: 'yes', places: '[' }, 'places is not JSON.'],
  ])('of %j cannot be sent: %s', (texts, obstacle) => {
    expect(dataOf(fields, texts).obstacle).toBe(obstacle);
  });

  it('are an object where the whole answer is JSON', () => {
    expect(wholeDataOf('{"a": 1}')).toEqual({ data: { a: 1 } });
    expect(['[1]', 'a'].map((text) => wholeDataOf(text).obstacle)).toEqual([
      'The answer is not a JSON object.',
      'The answer is not a JSON object.',
    ]);
  });
});
