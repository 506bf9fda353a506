import { expect, it } from 'vitest';
import { wrapped } from './wrapped.ts';

it('breaks lines between words, and indents what continues them', () => {
  expect(wrapped('The worker of this run has no key\nshort', 16)).toBe(
    'The worker of\n  this run has\n  no key\nshort',
  );
});

it('puts what continues a line below its message', () => {
  expect(wrapped('✔ clock  goes by Redis', 18, '         ')).toBe('✔ clock  goes by\n         Redis');
});

it('leaves commands and long words whole', () => {
  expect(wrapped('  millrace run FILE --input "x"', 10)).toBe('  millrace run FILE --input "x"');
  expect(wrapped('see https://example.com/a/b/c now', 10)).toBe('see\n  https://example.com/a/b/c\n  now');
});
