import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runSource, sourceName } from './run-source.ts';

it('accepts an id or a file', () => {
  expect(runSource('run_1', undefined)).toBe('run_1');
  expect(runSource(undefined, 'old.jsonl')).toEqual({ file: resolve('old.jsonl') });
  expect(runSource(undefined, 's3://old/run_1.jsonl')).toEqual({ file: 's3://old/run_1.jsonl' });
  expect(sourceName({ file: '/old.jsonl' })).toBe('/old.jsonl');
});

it('refuses both, and neither', () => {
  expect(() => runSource('run_1', 'old.jsonl')).toThrow('Give the id of a run, or --file');
  expect(() => runSource(undefined, undefined)).toThrow('Give the id of a run, or --file');
});
