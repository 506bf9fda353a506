import { expect, it } from 'vitest';
import { matchesGlob } from './glob.ts';

it.each(['constructor', '__proto__', 'toString'])('treats "%s" in a glob as literal text', (name) => {
  expect([
    matchesGlob(name, name),
    matchesGlob(`src/${name}`, `src/${name}`),
    matchesGlob(`${name}.js`, `${name}*`),
  ]).toEqual([true, true, true]);
  expect(matchesGlob('other', name)).toBe(false);
});
