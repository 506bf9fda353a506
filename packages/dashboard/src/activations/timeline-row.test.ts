import { expect, it } from 'vitest';
import { headLabel } from './timeline-row.ts';

it.each([
  ['APPROVE', 'APPROVE'],
  ['## Sundays\n\nFrom 4 May on', 'Sundays From 4 May on'],
  ['The library on Mill Street opens on Sunda', 'The library on Mill Street opens on Sunda…'],
])('shows the head %j as %j', (head, words) => {
  expect(headLabel(head)).toBe(words);
});
