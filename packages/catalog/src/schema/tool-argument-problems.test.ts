import { expect, it } from 'vitest';
import { toolArgumentProblems } from './tool-argument-problems.ts';

const transfer = {
  type: 'object',
  properties: { to: { type: 'string', minLength: 1 }, amount: { type: 'number', exclusiveMinimum: 0, default: 1 } },
  required: ['to'],
};
/** A schema with what this engine does not support for its own data. */
const merged = {
  type: 'object',
  allOf: [{ type: 'object', properties: { pattern: { type: 'string', pattern: '^(a+)+$' } }, required: ['pattern'] }],
};

it.each([
  ['match', transfer, { to: 'bob', amount: 5 }, []],
  ['match without what may be absent', transfer, { to: 'bob' }, []],
  ['may have fields that the schema does not name', transfer, { to: 'bob', note: 'x' }, []],
  [
    'may have no other fields',
    { ...transfer, additionalProperties: false },
    { to: 'bob', note: 'x' },
    [/no argument "note"/],
  ],
  ['need a field', transfer, { amount: 5 }, [/to/]],
  ['have another type', transfer, { to: 7 }, [/to: expected a string/]],
  ['are out of bounds', transfer, { to: 'bob', amount: 0 }, [/amount: expected a number above 0/]],
  ['match parts of a schema', merged, { pattern: `${'a'.repeat(100)}b` }, []],
  ['have another type than a part of a schema says', merged, { pattern: 7 }, [/pattern/]],
  ['are left to the server where its schema is not understood', { type: 'object', $ref: '#/nowhere' }, { x: 1 }, []],
])('arguments %s', async (_how, schema, args, problems) => {
  expect(await toolArgumentProblems(schema, args)).toEqual(problems.map((one) => expect.stringMatching(one)));
});
