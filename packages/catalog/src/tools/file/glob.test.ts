import { expect, it } from 'vitest';
import { fits } from './glob.ts';

it.each(['constructor', '__proto__', 'toString'])('takes "%s" in a glob as the text that it is', (name) => {
  expect([fits(name, name), fits(`src/${name}`, `src/${name}`), fits(`${name}.js`, `${name}*`)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(fits('other', name)).toBe(false);
});
