import { describe, expect, it } from 'vitest';
import { Expectations } from '../files/expectations.ts';
import { checkText } from './check-text.ts';

const mismatches = async (json: unknown, text: string) => {
  const { output = '' } = Expectations.parse({ output: { json } });
  return (await checkText(output, text, ['output'])).map(({ path, expected, found, actual }) => [
    path.join('.'),
    expected,
    found,
    actual,
  ]);
};

describe('an expectation of JSON', () => {
  it.each([
    [{ path: '$.total', equals: 42 }],
    [{ path: 'total', at_least: 40, below: 50 }],
    [{ path: '$.items[*].name', equals: 'b' }],
    [{ path: 'gone', exists: false }],
  ])('is met: %j', async (json) => {
    expect(await mismatches(json, '{"total": 42, "items": [{"name": "a"}, {"name": "b"}]}')).toEqual([]);
  });

  it.each([
    [{ path: '$.total', equals: 41 }, '{"total": 42}', ['output.json.equals', '41', '42', 42]],
    [{ path: 'total', above: 50 }, '{"total": 42}', ['output.json', 'total above 50', '42', undefined]],
    [
      { path: 'sum', equals: 1 },
      '{"total": 42}',
      ['output.json', 'sum is 1', 'nothing there in "{\\"total\\": 42}"', undefined],
    ],
    [{ path: 'sum', equals: 1 }, 'forty-two', ['output.json', 'JSON', '"forty-two"', undefined]],
  ])('is not met: %j by %s', async (json, text, mismatch) => {
    expect(await mismatches(json, text)).toEqual([mismatch]);
  });

  it.each([[{ path: 'a' }], [{ path: '$.a[', equals: 1 }], [{ path: 'a', matches: '(' }]])('is refused: %j', (json) => {
    expect(Expectations.safeParse({ output: { json } }).success).toBe(false);
  });
});

describe('a JSON Schema', () => {
  const wanted = (schema: object) => Expectations.safeParse({ output: { json_schema: schema } });

  it('is met by a list whose pattern takes no longer for a hostile text, or says what is wrong', async () => {
    const { output = '' } = wanted({ type: 'array', items: { type: 'string', pattern: '^(a+)+$' } }).data ?? {};
    const found = async (json: unknown) => (await checkText(output, JSON.stringify(json), ['output'])).length;

    expect(await found(['aaa'])).toBe(0);
    expect(await found([`${'a'.repeat(64)}!`])).toBe(1);
  });

  it.each([[{ patternProperties: {} }], [{ $ref: 'https://example.com/a' }], [{ type: 'string', pattern: '(' }]])(
    'is refused: %j',
    (schema) => {
      expect(wanted(schema).success).toBe(false);
    },
  );
});
