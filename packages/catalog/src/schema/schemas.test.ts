import { describe, expect, it } from 'vitest';
import { dataSchemaProblems } from './data-schema.ts';
import { describeSchema } from './describe-schema.ts';
import { validate } from './schema-validator.ts';
import { strictSchema } from './strict-schema.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const review = object(
  { verdict: { enum: ['accept', 'revise'] }, score: { type: 'integer', minimum: 0, maximum: 10 } },
  { required: ['verdict'] },
);
const tree = {
  $defs: { node: object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }) },
  ...object({ root: { $ref: '#/$defs/node' } }),
};

describe('a supported schema', () => {
  it.each([
    [review],
    [tree],
    [object({ at: { type: 'string', format: 'date', description: 'Day.' } })],
    [object({ code: { type: 'string', pattern: '^[A-Z]{3}$', minLength: 3 } })],
    [object({ a: { type: ['string', 'null'] }, b: { const: 1 }, c: {} })],
    [object({}, { additionalProperties: { type: 'number' } })],
    [{ anyOf: [object({ a: { type: 'string' } }), object({ b: { type: 'string' } })] }],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Review', ...review }],
  ])('%j has no problems', (schema) => {
    expect(dataSchemaProblems(schema)).toEqual([]);
  });
});

describe('a schema that is not supported', () => {
  it.each([
    [{ type: 'string' }, '', 'The schema must describe an object'],
    [object({ a: { type: 'strng' } }), 'properties.a.type', '"strng" is no value of "type"'],
    [object({ a: { type: 'string', minLenght: 3 } }), 'properties.a.minLenght', 'keyword "minLenght"'],
    [object({ a: { oneOf: [] } }), 'properties.a.oneOf', 'keyword "oneOf"'],
    [object({ a: { minLength: 3 } }), 'properties.a.minLength', 'needs `type: string`'],
    [{ $defs: {}, ...object({ a: { $ref: '#/$defs/__proto__' } }) }, 'properties.a.$ref', 'no schema at'],
    [object({ a: { type: 'string', pattern: '(?=a)' } }), 'properties.a.pattern', 'look-ahead'],
    [object({ a: { type: 'string', format: 'dat' } }), 'properties.a.format', '"dat" is no value'],
    [object({ a: { enum: [] } }), 'properties.a.enum', 'is no value of "enum"'],
    [object({ a: 'string' }), 'properties.a', 'A schema is a mapping'],
    [object({ score: {} }, { required: ['scor'] }), 'required.0', '"scor" is required'],
    [object({ a: { $ref: '#/$defs/b' } }), 'properties.a.$ref', 'There is no schema'],
    [
      object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { $ref: '#/$defs/b' } } }),
      'properties.a.$ref',
      'leads to itself',
    ],
    [object({ a: { $ref: '#/$defs/b', type: 'string' } }, { $defs: { b: {} } }), 'properties.a.type', 'beside "$ref"'],
    [object({ a: { type: 'object', $defs: {} } }), 'properties.a.$defs', 'top of the schema'],
    [object({ a: { description: 'x'.repeat(70_000) } }), '', '64 KiB'],
  ])('%j is reported at %s', (schema, path, message) => {
    const [first] = dataSchemaProblems(schema);

    expect([first?.code, first?.path.join('.'), first?.message]).toEqual([
      'E_SCHEMA_UNSUPPORTED',
      path,
      expect.stringContaining(message),
    ]);
  });
});

describe('valid data', () => {
  it.each([
    [review, { score: 3, verdict: 'accept' }, { verdict: 'accept', score: 3 }],
    [review, { verdict: 'accept', score: null, because: 'x' }, { verdict: 'accept' }],
    [object({ a: { type: ['string', 'null'] } }), { a: null }, { a: null }],
    [object({ a: {} }, { additionalProperties: true }), { b: 1 }, { b: 1 }],
    [object({}, { additionalProperties: { type: 'number' } }), { b: 1 }, { b: 1 }],
    [tree, { root: { name: 'a', children: [{ name: 'b' }] } }, { root: { name: 'a', children: [{ name: 'b' }] } }],
    [object({ a: { type: 'string', maxLength: 1 } }), { a: '😀' }, { a: '😀' }],
    [object({ a: { type: 'string', pattern: '^x+$' } }), { a: 'xx' }, { a: 'xx' }],
  ])('of %j: %j', async (schema, value, data) => {
    const checked = await validate(schema, value);

    expect(JSON.stringify(checked)).toBe(JSON.stringify({ type: 'valid', data }));
  });
});

describe('invalid data', () => {
  it.each([
    [review, {}, ['/verdict: is missing']],
    [review, { verdict: 'acept', score: 11 }, ['/verdict: expected one of', '/score: expected a number of at most 10']],
    [review, { verdict: 'accept', score: 1.5 }, ['/score: expected a whole number']],
    [tree, { root: { children: [{ name: 3 }] } }, ['/root/children/0/name: expected a string']],
    [object({ a: { type: 'string', pattern: '^x+$' } }), { a: 'y' }, ['/a: expected a text that matches "^x+$"']],
    [object({ a: { type: 'string', format: 'date' } }), { a: 'May' }, ['/a: expected a date']],
    [object({ a: { type: 'array', uniqueItems: true } }), { a: [{ b: 1 }, { b: 1 }] }, ['/a: expected entries']],
    [object({ a: {} }, { additionalProperties: false }), { b: 1 }, ['/b: is not a field of it']],
    [
      {
        anyOf: [
          object({ a: { type: 'string' } }, { required: ['a'] }),
          object({ b: { const: 1 } }, { required: ['b'] }),
        ],
      },
      { a: 3 },
      ['/a: expected a string'],
    ],
  ])('of %j: %j', async (schema, value, problems) => {
    const checked = await validate(schema, value);

    expect(checked).toEqual({
      type: 'invalid',
      problems: problems.map((problem) => expect.stringContaining(problem)),
    });
  });

  it('takes no exponential time with alternatives that contain each other', async () => {
    const kind = (name: string) =>
      object({ inner: { $ref: '#/$defs/any' }, kind: { const: name } }, { required: ['kind'] });
    const kinds = ['a', 'b', 'c', 'd', 'e'];
    const schema = {
      $defs: { any: { anyOf: kinds.map(kind) } },
      ...object({ inner: { $ref: '#/$defs/any' } }),
    };
    const deep = Array.from({ length: 60 }).reduce<object>((inner) => ({ kind: 'e', inner }), { kind: 'f' });

    expect(await validate(schema, { inner: deep })).toMatchObject({ type: 'invalid' });
  });

  it('keeps few problems of a value with very many unknown fields', async () => {
    const closed = object({}, { additionalProperties: false });
    const value = { a: Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`f${at}`, at])) };

    const checked = await validate(object({ a: { anyOf: [closed, closed] } }), value);

    expect(checked).toMatchObject({ type: 'invalid' });
    expect(checked.type === 'invalid' && checked.problems.length).toBeLessThan(32);
  });

  it('takes linear time with a pattern of the author', async () => {
    const schema = object({ a: { type: 'string', pattern: '^(a+)+$' } });

    expect(await validate(schema, { a: `${'a'.repeat(5000)}!` })).toMatchObject({ type: 'invalid' });
  });
});

describe('the strict form of a schema', () => {
  it('has all fields of all objects, and other limits in words', () => {
    const schema = object({
      why: { type: 'string', minLength: 3, description: 'Reason.' },
      list: { type: 'array', items: review },
    });

    expect(strictSchema(schema)).toEqual({
      type: 'object',
      properties: {
        why: { anyOf: [{ type: 'string', description: 'Reason. (minLength: 3)' }, { type: 'null' }] },
        list: {
          anyOf: [
            {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  verdict: { type: 'string', enum: ['accept', 'revise'] },
                  score: {
                    anyOf: [{ type: 'integer', description: '(minimum: 0, maximum: 10)' }, { type: 'null' }],
                  },
                },
                required: ['verdict', 'score'],
                additionalProperties: false,
              },
            },
            { type: 'null' },
          ],
        },
      },
      required: ['why', 'list'],
      additionalProperties: false,
    });
  });

  it.each([
    [['a', 'b'], 'string'],
    [[1, 2], 'integer'],
    [[1, 2.5], 'number'],
    [
      ['a', 1, null, true],
      ['string', 'integer', 'null', 'boolean'],
    ],
  ])('has the type of listed values: %j', (choices, type) => {
    const schema = object({ a: { enum: choices } }, { required: ['a'] });

    expect(strictSchema(schema)).toMatchObject({ properties: { a: { type, enum: choices } } });
  });

  it.each([
    [object({}, { additionalProperties: { type: 'number' } })],
    [object({ a: { enum: [{ b: 1 }] } })],
    [object({ a: { type: 'array' } })],
    [object({ a: {} })],
    [object({ a: { type: 'object' } })],
    [{ anyOf: [review] }],
  ])('does not exist for %j', (schema) => {
    expect(strictSchema(schema)).toBeUndefined();
  });
});

describe('the description of a schema', () => {
  it.each([
    [review, '{verdict: accept | revise, score?: integer}'],
    [tree, '{root?: {name?: string, children?: […]}}'],
    [
      object({ a: { type: ['string', 'null'] }, b: { type: 'array', items: { type: 'number' } } }),
      '{a?: string | null, b?: [number]}',
    ],
    [{ anyOf: [object({ a: {} }), object({ b: { const: 1 } })] }, '{a?: any} | {b?: 1}'],
  ])('of %j', (schema, text) => {
    expect(describeSchema(schema)).toBe(text);
  });
});
