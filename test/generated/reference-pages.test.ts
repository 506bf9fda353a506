import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { referencePages } from './reference/reference-pages.ts';

it.each(Object.entries(await referencePages()))('%s is what `npm run generate` writes', async (path, text) => {
  expect(await readFile(resolve(import.meta.dirname, '../..', path), 'utf8')).toBe(text);
});
