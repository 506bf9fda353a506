import { expect, it } from 'vitest';
import { cpuMs } from '../../../../../test/support/cpu-ms.ts';
import { globMatcher } from './search-files.ts';

it.each(['constructor', '__proto__', 'toString'])('treats "%s" in a glob as literal text', (name) => {
  expect([
    globMatcher(name)(name),
    globMatcher(`src/${name}`)(`src/${name}`),
    globMatcher(`${name}*`)(`${name}.js`),
  ]).toEqual([true, true, true]);
  expect(globMatcher(name)('other')).toBe(false);
});

it.each([
  ['*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['src/**/*.ts', 'src/deep/er/a.ts', true],
  ['src/**', 'src/a/b', true],
  ['a?c', 'abc', true],
  ['a.c', 'abc', false],
])('matches %s with %s: %s', (glob, path, matches) => {
  expect(globMatcher(glob)(path)).toBe(matches);
});

it('takes no noticeable time for a glob with many wildcards', async () => {
  const ms = await cpuMs(() => {
    expect(globMatcher(`${'*a'.repeat(40)}b`)('a'.repeat(250))).toBe(false);
    expect(globMatcher(`${'**/'.repeat(40)}b`)('a/'.repeat(120))).toBe(false);
  });

  expect(ms).toBeLessThan(500);
});
