import { describe, expect, it } from 'vitest';
import { isSame } from './use-graph-views.ts';

const node = { id: 'A', runs: 1, waitsFor: { type: 'person', since: 5 }, routes: [1, 2] };

describe('isSame', () => {
  it.each([
    ['equal objects', structuredClone(node)],
    ['another order of fields', { routes: [1, 2], waitsFor: { since: 5, type: 'person' }, runs: 1, id: 'A' }],
  ])('finds no difference in %s', (_name, other) => {
    expect(isSame(node, other)).toBe(true);
    expect(isSame(other, node)).toBe(true);
  });

  it.each([
    ['another value', { ...node, runs: 2 }],
    ['another value inside', { ...node, waitsFor: { type: 'person', since: 6 } }],
    ['one field more', { ...node, said: 'Hello' }],
    ['one field less', { id: 'A', runs: 1, waitsFor: node.waitsFor }],
    ['one element more', { ...node, routes: [1, 2, 3] }],
    ['an object in place of a list', { ...node, routes: { 0: 1, 1: 2 } }],
    ['null in place of an object', { ...node, waitsFor: null }],
  ])('finds %s', (_name, other) => {
    expect(isSame(node, other)).toBe(false);
    expect(isSame(other, node)).toBe(false);
  });
});
