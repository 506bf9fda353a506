import { expect, it } from 'vitest';
import { problemOfKey } from './api-key.ts';

it('accepts what can be sent in a header', () => {
  expect(problemOfKey('sk-proj-Ab_9.~+/=')).toBeUndefined();
  // As a file ends, from which a variable is set. Headers are sent without it.
  expect(problemOfKey('sk-1\n')).toBeUndefined();
});

it('names the character of a placeholder, and of two lines, and does not repeat the key', () => {
  expect(problemOfKey('…')).toContain('the character U+2026, which no key contains');
  expect(problemOfKey('sk-secret\nsk-other')).toMatch(/^(?!.*secret).*U\+000A/s);
});
