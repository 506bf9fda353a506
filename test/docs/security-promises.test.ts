import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/guide/security.md'), 'utf8');
const [, table = ''] = page.split('## Promises and their tests');
const promises = [...table.matchAll(/^\| (.+) \| `(.+)`: (.+) \|$/gm)].map(([, promise, file = '', test = '']) => ({
  promise,
  file,
  test,
}));

/** Returns whether a file has a test of this name, as written or as a template for several. */
function hasTest({ file, test }: { readonly file: string; readonly test: string }): boolean {
  const path = join(root, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(`'${test}'`);
}

it('names a test that exists for every promise of the page about security', () => {
  expect(promises.length).toBeGreaterThan(20);
  expect(promises.length).toBe(table.split('\n').filter((line) => line.startsWith('| ')).length - 1);
  expect(promises.filter((promise) => !hasTest(promise))).toEqual([]);
});
