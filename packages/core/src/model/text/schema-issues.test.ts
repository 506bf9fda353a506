import { expect, it } from 'vitest';
import { z } from 'zod';
import { boundedIssues, describeIssues } from './schema-issues.ts';

const issuesOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues ?? [];

it('describes as much of a value with 100,000 unknown keys as of one with twenty', () => {
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, at]));

  const [issue, ...more] = boundedIssues(issuesOf(z.strictObject({}), keys));

  expect(more).toEqual([]);
  expect(issue?.message).toMatch(/^Unrecognized keys: "key0", .*"key9" and 99990 more$/);
});

it('counts the problems that it does not describe', () => {
  const found = boundedIssues(issuesOf(z.array(z.string()), Array(50_000).fill(1)));

  expect(found).toHaveLength(21);
  expect(found.at(-1)).toEqual({ path: [], message: 'has 49980 more problems' });
});

it('shortens keys in places and messages', () => {
  const long = 'k'.repeat(1_000_000);
  const schema = z.record(z.string(), z.strictObject({}));

  expect(describeIssues(issuesOf(schema, { [long]: { [long]: 1 } })).length).toBeLessThan(200);
  expect(describeIssues(issuesOf(schema, { [long]: 1 })).length).toBeLessThan(200);
});

it('leaves a usual problem as the schema describes it', () => {
  const schema = z.strictObject({ a: z.object({ b: z.string() }) });

  expect(describeIssues(issuesOf(schema, { a: { b: 1 }, c: 2 }))).toBe(
    'a.b: Invalid input: expected string, received number; Unrecognized key: "c"',
  );
});
