import { readdirSync, readFileSync } from 'node:fs';
import { createMetrics } from '@millrace/runtime';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Metrics of a process whose Redis does not answer. */
function withoutRedis() {
  const refuse = () => Promise.reject(new Error('Redis does not answer.'));
  return createMetrics({ gauges: refuse, queueAdmin: new Proxy({} as never, { get: () => refuse }) });
}

/** Ways in which code and Docker Compose read variables. Only capital names are variables. */
const reads = [
  /\b(?:process\.env|env|environ|environment|variables)(?:\.get\()?[.[(]?['"]?([A-Z][A-Z0-9_]+)\b/g,
  /^ {2}([A-Z][A-Z0-9_]+): (?:variable|limit|text|optional|z)\b/gm,
  /\breadonly ([A-Z][A-Z0-9_]+)\?: string/g,
  /['"\s,$]((?:MILLRACE|AWS|OTEL|XDG|GITHUB)_[A-Z0-9_]+|[A-Z]+_API_KEY)['"\s,]/g,
  /\$\{([A-Z][A-Z0-9_]+):-/g,
];

/** Returns the variables that a text of code reads, without comments. */
function variablesIn(code: string): readonly string[] {
  const bare = code.replaceAll(/^\s*(?:\/\/|\/?\*|#).*$/gm, '');
  const destructured = [...bare.matchAll(/const \{([^{}]*)\} = process\.env/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().split(/\W/, 1)[0] ?? ''),
  );
  return [...reads.flatMap((read) => [...bare.matchAll(read)].map(([, name = '']) => name)), ...destructured];
}

it('describes every variable that the code reads in the reference of the environment', () => {
  const page = readFileSync(new URL('docs/reference/environment.md', root), 'utf8');
  // The dashboard is executed in browsers, which have no environment.
  const folders = readdirSync(new URL('packages/', root)).filter((name) => name !== 'dashboard');
  const files = folders.flatMap((name) =>
    readdirSync(new URL(`packages/${name}/src/`, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test)\.(?:ts|py)$/.test(file))
      .map((file) => `packages/${name}/src/${file}`),
  );
  const code = ['docker-compose.yml', ...files].map((file) => readFileSync(new URL(file, root), 'utf8'));
  const names = [...new Set(code.flatMap(variablesIn))];

  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it.each([
  "const proxy = process.env['HTTP_PROXY'];",
  'const proxy = environment.HTTP_PROXY;',
  'const { PATH, HTTP_PROXY: proxy } = process.env;',
  '  HTTP_PROXY: variable(z.string()),',
  'function proxyIn({ HTTP_PROXY }: { readonly HTTP_PROXY?: string })',
  'proxy = os.environ.get("HTTP_PROXY")',
  '      HTTP_PROXY: ${HTTP_PROXY:-}',
])('finds the variable in %j', (code) => {
  expect(variablesIn(code)).toContain('HTTP_PROXY');
});

it('describes every metric in the reference', async () => {
  const page = readFileSync(new URL('docs/reference/metrics.md', root), 'utf8');
  const text = await (await withoutRedis()).text();
  const names = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({ name, type }));
  const own = names.filter(({ name = '' }) => name.startsWith('millrace_'));
  const ofNode = [...page.matchAll(/`((?:process|nodejs)_\w+)`/g)].map(([, name = '']) => name);

  expect(own.length).toBeGreaterThan(15);
  const sections = page.split('\n### ');
  const isDescribed = ({ name, type }: (typeof own)[number]) =>
    sections.some((text) => text.startsWith(`\`${name}\`\n`) && text.includes(`\n- Type: ${type}\n`));
  expect(own.filter((metric) => !isDescribed(metric))).toEqual([]);
  expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(ofNode));
});
