import { expect, it } from 'vitest';
import { isLight } from './workflow-reader.ts';

it.each([
  ['aliases', 'a: &a [x]\nb: [*a, *a]'],
  ['aliases of mappings', 'base: &base {x: 1}\nb: {<<: *base}'],
  ['many variables', Array.from({ length: 20 }, (_, at) => `a${at}: "\${b}"`).join('\n')],
])('rates a short text with %s as costly', (_what, text) => {
  expect(isLight({ text })).toBe(false);
});

it('rates large values of variables as costly', () => {
  expect(isLight({ text: 'a: b', variables: { a: 'x'.repeat(10_000) } })).toBe(false);
});

it.each([
  ['a workflow', 'graph: {id: g, nodes: [{id: A, type: literal, config: {content: "**Bold** & [x]"}}]}'],
  ['some variables', 'config: {api_key: ${API_KEY}, base_url: ${BASE_URL}}'],
])('rates a short text with %s as light', (_what, text) => {
  expect(isLight({ text })).toBe(true);
});
