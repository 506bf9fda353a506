import { readdirSync, readFileSync } from 'node:fs';
import { createMetrics } from '@millrace/runtime';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const guide = textsIn('docs/guide/', /\.md$/);

function textsIn(folder: string, pattern: RegExp): string {
  const names = readdirSync(new URL(folder, root)).filter((name) => pattern.test(name) && !name.includes('.test.'));
  return names.map((name) => readFileSync(new URL(`${folder}${name}`, root), 'utf8')).join('\n');
}

/** Metrics of a process whose Redis does not answer. */
function withoutRedis() {
  const refuse = () => Promise.reject(new Error('Redis does not answer.'));
  return createMetrics({ gauges: refuse, queueAdmin: new Proxy({} as never, { get: () => refuse }) });
}

it('describes every variable of the environment in the guide', () => {
  const variables = textsIn('packages/cli/src/config/', /\.ts$/).matchAll(/^ {2}((?:MILLRACE|OTEL|REDIS)_\w+):/gm);
  const names = [...new Set([...variables].map(([, name = '']) => name))];

  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !guide.includes(name))).toEqual([]);
});

it('describes every metric in the reference', async () => {
  const page = readFileSync(new URL('docs/reference/metrics.md', root), 'utf8');
  const text = await (await withoutRedis()).text();
  const names = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({ name, type }));
  const own = names.filter(({ name = '' }) => name.startsWith('millrace_'));
  const ofNode = [...page.matchAll(/`((?:process|nodejs)_\w+)`/g)].map(([, name = '']) => name);

  expect(own.length).toBeGreaterThan(15);
  expect(own.filter(({ name, type }) => !page.includes(`| \`${name}\` | ${type} |`))).toEqual([]);
  expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(ofNode));
});
