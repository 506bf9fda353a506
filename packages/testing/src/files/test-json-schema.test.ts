import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { testFileName } from './read-test-file.ts';
import { testJsonSchema } from './test-json-schema.ts';

const examples = new URL('../../../../examples/', import.meta.url);
// Editors read the schema as JSON.
const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(testJsonSchema())));

it.each(readdirSync(examples).filter((name) => testFileName.test(name)))('accepts %s', (name) => {
  expect(schema.safeParse(parse(readFileSync(new URL(name, examples), 'utf8'))).error).toBeUndefined();
});

it.each([
  ['an unknown field', { tests: [{ name: 'a', expekt: {} }] }],
  ['an unknown field of an expectation', { tests: [{ name: 'a', expect: { output: { contain: 'x' } } }] }],
  ['an unknown status', { tests: [{ name: 'a', expect: { status: 'complete' } }] }],
  ['a script that is none', { tests: [{ name: 'a', script: { rules: [{ when: { modell: 'm' }, reply: 'x' }] } }] }],
  ['a test without a name', { tests: [{ input: 'x' }] }],
])('refuses %s', (_what, document) => {
  expect(schema.safeParse(document).success).toBe(false);
});
