import { describe, expect, it } from 'vitest';
import { circleFrom } from './circles.ts';
import { createEnvironment } from './environment.ts';
import type { VariableScope } from './variable-scope.ts';
import { isFullyResolved, maxExpandedChars, resolveText } from './variables.ts';

interface Rest extends Partial<Omit<VariableScope, 'environment'>> {
  readonly environment?: Record<string, string>;
}

function scope(own: Record<string, unknown>, { environment = {}, ...rest }: Rest = {}): VariableScope {
  const budget = { characters: maxExpandedChars };
  const notes = { used: new Set<string>(), usedInSecrets: new Set<string>(), taken: new Set<string>() };
  return {
    own,
    environment: createEnvironment(environment),
    compat: false,
    ...notes,
    budget,
    resolved: new Map(),
    nodes: new Map(),
    isFloat: () => false,
    ...rest,
  };
}

describe('resolveText', () => {
  it('returns the value itself, with its type, for a text that is one placeholder', () => {
    const vars = scope({ N: 7, LIST: ['a', '${N}'], TEXT: 'v' });
    expect(resolveText('${N}', vars, false).value).toBe(7);
    expect(resolveText('  ${TEXT}  ', vars, false).value).toBe('v');
    expect(resolveText('${LIST}', vars, false).value).toEqual(['a', 7]);
  });

  it.each([
    ['a ${T} b', 'a True b'],
    ['${NONE}!', 'None!'],
    ['x${LIST}', "x[1, 'two', False]"],
    ['x${MAP}', `x{'k': "it's", 'n': None}`],
    ['\\${N}', '\\7'],
    ['${N-Y} ${N:-d} $N', '${N-Y} ${N:-d} $N'],
    ['v${F}', 'v2.0'],
  ])('inserts values into %s as Python prints them', (text, value) => {
    const own = { T: true, NONE: null, LIST: [1, 'two', false], MAP: { k: "it's", n: null }, N: 7, F: 2 };
    expect(resolveText(text, scope(own, { isFloat: (name) => name === 'F' }), false).value).toBe(value);
  });

  it('uses own variables before those of the including file, and the environment last, without substitution', () => {
    const parent = scope({ A: 'outer', B: 'outer ${A}' });
    const inner = scope({ A: 'inner' }, { parent, environment: { A: 'env', C: '${A}' } });
    expect(resolveText('${A}', inner, false).value).toBe('inner');
    expect(resolveText('${B}', inner, false).value).toBe('outer outer');
    expect(resolveText('${C}', scope({ A: 1 }, { environment: { C: '${A}' } }), false).value).toBe('${A}');
  });

  it('resolves a variable that refers to itself with the value that it overrides', () => {
    const own = { PLACE: '${PLACE}' };
    expect(resolveText('${PLACE}', scope(own, { environment: { PLACE: 'p' } }), false).value).toBe('p');
    expect(resolveText('${PLACE}', scope(own, { parent: scope({ PLACE: 'outer' }) }), false).value).toBe('outer');
  });

  it('reports a missing variable and keeps its placeholder', () => {
    expect(resolveText('a ${X} ${Y}', scope({ Y: '${Z}' }), false)).toEqual({
      value: 'a ${X} ${Y}',
      missing: ['X', 'Z'],
    });
  });

  it('finds circles', () => {
    expect(resolveText('${A}', scope({ A: '${B}', B: 'x ${A}' }), false).circle).toEqual(['A', 'B', 'A']);
  });

  it('keeps references to the environment in secrets, through variables too', () => {
    const vars = scope({ KEY: '${OPENAI_KEY}', FIXED: 'f' }, { environment: { OPENAI_KEY: 'sk', TOKEN: 't' } });
    expect(resolveText('${KEY}', vars, true)).toEqual({ value: '${OPENAI_KEY}', missing: [] });
    expect(resolveText('Bearer ${TOKEN} ${FIXED}', vars, true).value).toBe('Bearer ${TOKEN} f');
  });

  it('reads $${NAME} as the text ${NAME}, and says so where the name has a value', () => {
    const vars = scope({ N: 7, OUTER: 'a $${N}' }, { environment: { E: 'env' } });

    expect(resolveText('$${N} $${E} $${X} $$${N} ${OUTER}', vars, false)).toEqual({
      value: '${N} ${E} ${X} $${N} a ${N}',
      missing: [],
      escaped: ['N', 'E', 'N', 'N'],
    });
  });

  it('keeps $${NAME} in secrets for the worker, which reads it as ${NAME}', () => {
    expect(resolveText('$${N} ${T}', scope({ T: 'a $${N}' }), true).value).toBe('$${N} a $${N}');
  });

  it('reads $${NAME} as $ and the value where the original engine is meant', () => {
    expect(resolveText('$${N}', scope({ N: 7 }, { compat: true }), false)).toEqual({ value: '$7', missing: [] });
  });

  it('withholds secrets and names of the machine, through variables too', () => {
    const environment = { API_KEY: 'a-secret', HOME: '/home/ann', WORD: 'w' };
    const vars = scope({ K: 'Bearer ${API_KEY}', HOME: '${HOME}' }, { environment });

    expect(resolveText('${K} ${WORD}', vars, false)).toMatchObject({
      value: '${K} w',
      withheld: [{ name: 'API_KEY', reason: 'secret' }],
    });
    expect(resolveText('${HOME}', scope({}, { environment }), false).withheld).toEqual([
      { name: 'HOME', reason: 'machine' },
    ]);
    expect(resolveText('${HOME}', vars, false).value).toBe('/home/ann');
    expect([...vars.taken]).toEqual(['WORD', 'HOME']);
  });

  it('stops variables that grow exponentially', () => {
    const own: Record<string, string> = { V0: 'x'.repeat(10) };
    for (let level = 1; level < 40; level++) own[`V${level}`] = `\${V${level - 1}}\${V${level - 1}}`;
    const resolution = resolveText('${V39}', scope(own), false);
    expect(resolution.tooLarge).toBe(true);
    expect(isFullyResolved(resolution)).toBe(false);
  });
});

/** Variables, each of which has the value that is given for its number. */
const numbered = (count: number, value: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, value(at)]));

describe('variables that use each other', () => {
  it('are resolved once, and take as much of the budget each time', () => {
    let resolutions = 0;
    const own = numbered(12, (at) => (at === 0 ? '${LEAF}' : `\${V${at - 1}}\${V${at - 1}}`));
    const leaf = () => {
      resolutions++;
      return 'xy';
    };
    Object.defineProperty(own, 'LEAF', { enumerable: true, get: leaf });
    const vars = scope(own);

    const costs = [1, 2, 3].map(() => {
      const before = vars.budget.characters;
      expect(resolveText('${V11}', vars, false).value).toBe('xy'.repeat(2048));
      return before - vars.budget.characters;
    });

    // Once for its circles, and once for its value.
    expect(resolutions).toBe(2);
    expect(new Set(costs).size).toBe(1);
    expect(costs[0]).toBeGreaterThan(2 * 2048 * 12);
  });

  it('have no value when they are too deep', () => {
    const vars = scope(numbered(20_000, (at) => (at === 0 ? 'x' : `\${V${at - 1}}`)));
    expect(resolveText('${V19999}', vars, false).tooLarge).toBe(true);
    expect(circleFrom('V19999', vars)).toBeUndefined();
    expect(resolveText('${V999}', scope(vars.own), false).value).toBe('x');
  });

  it('say their circle from the first of it that is reached, and what they lack', () => {
    const own = {
      A: '${B} ${X}',
      B: '$${Z} ${C}',
      C: ['${FREE}', { k: '${A}${B}' }],
      IN: '${FREE} ${INNER}',
      INNER: '${B}',
      FREE: 'f',
    };
    const vars = scope(own);
    expect(['A', 'B', 'C', 'IN', 'FREE', 'INNER'].map((name) => circleFrom(name, vars)?.join(''))).toEqual([
      'ABCA',
      'BCAB',
      'CABC',
      'BCAB',
      undefined,
      'BCAB',
    ]);
    expect(resolveText('${IN}', vars, false)).toMatchObject({ missing: ['X'], circle: ['B', 'C', 'A', 'B'] });
  });

  it('find circles of thousands, and of those that all use each other', () => {
    const ring = scope(numbered(20_000, (at) => `\${V${(at + 1) % 20_000}}`));
    expect(circleFrom('V7', ring)?.length).toBe(20_001);
    const dense = scope(numbered(30, () => Array.from({ length: 30 }, (_, at) => `\${V${at}}`).join('')));
    expect(resolveText('${V0}', dense, false).circle).toEqual(['V0', 'V1', 'V0']);
    expect(maxExpandedChars - dense.budget.characters).toBeLessThan(10_000);
  });
});
