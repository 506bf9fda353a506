import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import config from '../../vitest.config.ts';

const root = new URL('../../', import.meta.url);
const lanes = z
  .record(z.enum(['test', 'test:slow', 'onDemand']), z.array(z.string()))
  .parse(JSON.parse(readFileSync(new URL('scripts/lanes.json', root), 'utf8')));
const Jobs = z.object({
  jobs: z.record(
    z.string(),
    z.object({ strategy: z.object({ matrix: z.record(z.string(), z.unknown()) }).optional() }),
  ),
});
const kindsIn = (workflow: string, job: string): unknown => {
  const text = readFileSync(new URL(`.github/workflows/${workflow}`, root), 'utf8');
  return Jobs.parse(parse(text)).jobs[job]?.strategy?.matrix['kind'];
};

it('runs each kind of tests in one lane', () => {
  const projects = config.test?.projects?.flatMap((project) =>
    typeof project === 'object' && 'test' in project ? (project.test?.name ?? []) : [],
  );

  expect(Object.values(lanes).flat().sort()).toEqual(projects?.sort());
});

it('runs each slow kind in the workflow of a push, and the others each night', () => {
  expect(kindsIn('test.yml', 'slow')).toEqual(lanes['test:slow']);
  expect(new Set(kindsIn('nightly.yml', 'nightly') as string[])).toEqual(new Set(lanes.onDemand));
});
