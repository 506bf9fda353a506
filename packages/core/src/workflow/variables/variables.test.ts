import { describe, expect, it } from 'vitest';
import type { VariableScope } from './variables.ts';
import { isFullyResolved, maxExpandedChars, resolveText } from './variables.ts';

function scope(own: Record<string, unknown>, rest: Partial<VariableScope> = {}): VariableScope {
  const budget = { characters: maxExpandedChars };
  return { own, environment: {}, used: new Set(), usedInSecrets: new Set(), budget, isFloat: () => false, ...rest };
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
    ['$${N}', '$7'],
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
    const own = { KEY: '${KEY}' };
    expect(resolveText('${KEY}', scope(own, { environment: { KEY: 'k' } }), false).value).toBe('k');
    expect(resolveText('${KEY}', scope(own, { parent: scope({ KEY: 'outer' }) }), false).value).toBe('outer');
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

  it('stops variables that grow exponentially', () => {
    const own: Record<string, string> = { V0: 'x'.repeat(10) };
    for (let level = 1; level < 40; level++) own[`V${level}`] = `\${V${level - 1}}\${V${level - 1}}`;
    const resolution = resolveText('${V39}', scope(own), false);
    expect(resolution.tooLarge).toBe(true);
    expect(isFullyResolved(resolution)).toBe(false);
  });
});
