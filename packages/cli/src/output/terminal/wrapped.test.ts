import { expect, it } from 'vitest';
import { wrapped, wrappedOn } from './wrapped.ts';

it('breaks lines between words, and indents what continues them', () => {
  expect(wrapped('The worker of this run has no key\nshort', 16)).toBe(
    'The worker of\n  this run has\n  no key\nshort',
  );
});

it('puts what continues a line below its message', () => {
  expect(wrapped('✔ clock  goes by Redis', 18, '         ')).toBe('✔ clock  goes by\n         Redis');
});

it('leaves what is to be copied whole', () => {
  expect(wrapped('It goes on. Follow it with: npx millrace watch run_1', 30)).toBe(
    'It goes on. Follow it with:\n  npx millrace watch run_1',
  );
  expect(wrapped('millrace answer run_1.a2 "…"', 10)).toBe('millrace answer run_1.a2 "…"');
  expect(wrapped('After `millrace keys create --name x` it', 20)).toBe(
    'After\n  `millrace keys create --name x`\n  it',
  );
  expect(wrapped('{"text": "a b c"}', 10)).toBe('{"text": "a b c"}');
});

it('leaves commands and long words whole', () => {
  expect(wrapped('  millrace run FILE --input "x"', 10)).toBe('  millrace run FILE --input "x"');
  expect(wrapped('see https://example.com/a/b/c now', 10)).toBe('see\n  https://example.com/a/b/c\n  now');
});

it('breaks the lines of a result on terminals only', () => {
  expect(wrappedOn({ columns: 10 }, 'one two three')).toBe('one two\nthree');
  expect(wrappedOn({}, 'one two three')).toBe('one two three');
});
