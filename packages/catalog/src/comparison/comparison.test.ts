import { describe, expect, it } from 'vitest';
import { Comparison, comparisonProblems, compileComparison, describeComparison } from './comparison.ts';

const data = {
  score: 7,
  zero: 0,
  verdict: 'accept',
  late: null,
  tags: ['a', 'b'],
  name: 'Zoë 😀',
  'a.b': 'dotted',
  owner: { id: 4, roles: ['admin'] },
  findings: [
    { severity: 'low', cost: 1 },
    { severity: 'high', cost: 5 },
  ],
};

const compare = (comparison: unknown) => compileComparison(Comparison.parse(comparison))(data);

describe('a comparison holds', () => {
  it.each([
    [{ path: 'score', equals: 7 }],
    [{ path: 'score', not: 8 }],
    [{ path: 'late', equals: null }],
    [{ path: 'late', exists: true }],
    [{ path: 'nothing', exists: false }],
    [{ path: 'verdict', in: ['accept', 'revise'] }],
    [{ path: 'score', above: 6, below: 8 }],
    [{ path: 'score', at_least: 7, at_most: 7 }],
    [{ path: 'verdict', matches: '^acc' }],
    [{ path: 'tags', equals: ['a', 'b'] }],
    [{ path: 'tags', length: 2 }],
    [{ path: 'tags.1', equals: 'b' }],
    [{ path: 'name', length: 5 }],
    [{ path: 'owner', length: { above: 1, below: 3 } }],
    [{ path: 'owner', equals: { roles: ['admin'], id: 4 } }],
    [{ path: 'owner.roles.0', equals: 'admin' }],
    [{ path: "$['a.b']", equals: 'dotted' }],
    [{ path: '$.findings[*].severity', equals: 'high' }],
    [{ path: '$.findings[?@.cost > 3].severity', equals: 'high' }],
    [{ path: '$..cost', above: 4 }],
    [{ path: '$.findings[-1].cost', equals: 5 }],
  ])('%j', async (comparison) => {
    expect(await compare(comparison)).toEqual({ type: 'holds' });
  });
});

describe('a comparison does not hold', () => {
  it.each([
    [{ path: 'score', equals: '7' }, 'fails', 'is 7, not "7"'],
    [{ path: 'score', not: 7 }, 'fails', 'is 7, not another value'],
    [{ path: 'score', above: 7 }, 'fails', 'is 7, not a number above 7'],
    [{ path: 'score', at_least: 8 }, 'fails', 'is 7, not a number of at least 8'],
    [{ path: 'score', below: 7 }, 'fails', 'is 7, not a number below 7'],
    [{ path: 'score', at_most: 6 }, 'fails', 'is 7, not a number of at most 6'],
    [{ path: 'score', above: 6, equals: 8 }, 'fails', 'is 7, not 8'],
    [{ path: 'verdict', in: ['revise'] }, 'fails', 'is "accept", not one of "revise"'],
    [{ path: 'verdict', matches: '^cc' }, 'fails', 'is "accept", not a text that matches /^cc/'],
    [{ path: 'verdict', exists: false }, 'fails', 'is "accept"'],
    [{ path: 'tags', length: 3 }, 'fails', 'is ["a","b"], not of the length 3'],
    [{ path: 'nothing', equals: 1 }, 'missing', 'does not exist'],
    [{ path: 'nothing', not: 1 }, 'missing', 'does not exist'],
    [{ path: 'tags.length', equals: 2 }, 'missing', 'does not exist'],
    [{ path: 'owner.constructor', exists: true }, 'missing', 'does not exist'],
    [{ path: 'verdict', above: 3 }, 'missing', 'is "accept", not a number above 3'],
    [{ path: 'score', matches: '7' }, 'missing', 'is 7, not a text that matches /7/'],
    [{ path: 'score', length: 1 }, 'missing', 'is 7, not of the length 1'],
    [{ path: '$.findings[*].severity', equals: 'critical' }, 'fails', 'is "high", not "critical"'],
    [{ path: '$.findings[?@.cost > 9].severity', equals: 'high' }, 'fails', 'does not exist'],
  ])('%j', async (comparison, type, reason) => {
    expect(await compare(comparison)).toMatchObject({ type, reason });
  });
});

describe('the problems of a comparison', () => {
  it.each([
    [{ path: 'a' }, 'E_FIELD_INVALID '],
    [{ path: 'a', exists: false, equals: 1 }, 'E_FIELD_INVALID exists'],
    [{ path: 'a', matches: '(' }, 'E_REGEX_INVALID matches'],
    [{ path: 'a', matches: '(?=b)a' }, 'E_REGEX_INVALID matches'],
    [{ path: 'a..b', equals: 1 }, 'E_JSON_PATH_INVALID path'],
    [{ path: '$.a[', equals: 1 }, 'E_JSON_PATH_INVALID path'],
    [{ path: `$${'.a'.repeat(300)}`, equals: 1 }, 'E_JSON_PATH_INVALID path'],
  ])('%j', (comparison, expected) => {
    expect(
      comparisonProblems(Comparison.parse(comparison)).map(({ code, path }) => `${code} ${path.join('.')}`),
    ).toEqual([expected]);
  });

  // Each of them would take quadratic time or more, or search with the engine of JavaScript.
  it.each(['$..a..b', '$[*,*][*,*]', '$[?@..a]', '$[?$.a[*]]', '$[?count(@.*) > 1]', '$[?match(@.a, "(a+)+$")]'])(
    'refuse the path %s, which may take long',
    (path) => {
      expect(comparisonProblems({ path, exists: true })).toMatchObject([{ code: 'E_JSON_PATH_INVALID' }]);
    },
  );
});

describe('a path of a large value', () => {
  it('is followed in linear time, however deep and wide it is', async () => {
    const deep = Array.from({ length: 900 }).reduce((inner) => ({ a: inner }), { last: true });
    const wide = Array.from({ length: 130_000 }, (_, at) => ({ at }));
    const find = (value: unknown, path: string, equals: unknown) =>
      compileComparison(Comparison.parse({ path, equals }))(value);

    expect(await find({ deep }, '$..last', true)).toEqual({ type: 'holds' });
    expect(await find({ wide }, '$.wide[*].at', 129_999)).toEqual({ type: 'holds' });
  });
});

describe('the description of a comparison', () => {
  it.each([
    [{ path: 'score', at_least: 8, below: 10 }, 'score at least 8 and below 10'],
    [{ path: 'verdict', equals: 'accept' }, 'verdict is "accept"'],
    [{ path: 'verdict', in: ['a', 'b'] }, 'verdict is "a" or "b"'],
    [{ path: 'x', exists: false }, 'x does not exist'],
    [{ path: 'x', length: { above: 2 } }, 'x length {"above":2}'],
  ])('of %j is: %s', (comparison, expected) => {
    expect(describeComparison(Comparison.parse(comparison))).toBe(expected);
  });
});
