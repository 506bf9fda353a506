import { readdirSync, readFileSync } from 'node:fs';
import { createMetrics } from '@millrace/runtime';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Metrics of a process whose Redis does not answer. */
function withoutRedis() {
  const refuse = () => Promise.reject(new Error('Redis does not answer.'));
  return createMetrics({ gauges: refuse, queueAdmin: new Proxy({} as never, { get: () => refuse }) });
}

/** Names of objects that hold variables of the environment, or settings parsed from it. */
const holders = new Set(['env', 'environment', 'variables', 'data']);
const isVariable = (name: string) => /^[A-Z][A-Z0-9_]+$/.test(name);
const isOwn = (name: string) => isVariable(name) && /^(?:MILLRACE|AWS|OTEL|XDG|GITHUB)_|_API_KEY$/.test(name);

/** Finds sources in which a name in capitals is a member, a part of a pattern or a text: few need to be parsed. */
const mayRead =
  /(?:\b(?:env|environment|variables|data)\??(?:\.|\[['"])|[{,]\s*)[A-Z][A-Z0-9_]+\b|['"](?:(?:MILLRACE|AWS|OTEL|XDG|GITHUB)_|[A-Z_]+_API_KEY)/;

/** Returns the variables that a source reads: members of such objects, parts of a pattern, and names that are texts. */
function variablesIn(code: string): readonly string[] {
  if (!mayRead.test(code)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && isHolder(node.expression)) found.push(node.name.text);
    if (ts.isElementAccessExpression(node) && isHolder(node.expression) && ts.isStringLiteral(node.argumentExpression))
      found.push(node.argumentExpression.text);
    if (ts.isBindingElement(node)) {
      const name = node.propertyName ?? node.name;
      if (ts.isIdentifier(name)) found.push(name.text);
    }
    if (ts.isStringLiteral(node) && isOwn(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest));
  return found.filter(isVariable);
}

function isHolder(object: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(object)) return holders.has(object.name.text);
  return ts.isIdentifier(object) && holders.has(object.text);
}

/** Returns the sources of the processes with an ending; the dashboard is executed in browsers, which have no environment. */
const sourcesWith = (ending: string) =>
  readdirSync(new URL('packages/', root))
    .filter((name) => name !== 'dashboard')
    .flatMap((name) =>
      readdirSync(new URL(`packages/${name}/src/`, root), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(ending) && !file.endsWith(`.test${ending}`))
        .map((file) => readFileSync(new URL(`packages/${name}/src/${file}`, root), 'utf8')),
    );

it('describes every variable that the code reads in the reference of the environment', () => {
  const page = readFileSync(new URL('docs/reference/environment.md', root), 'utf8');
  const compose = readFileSync(new URL('docker-compose.yml', root), 'utf8');
  const substituted = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  const names = [...new Set([...sourcesWith('.ts').flatMap(variablesIn), ...substituted])];

  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it('leaves the environment to the sources in TypeScript', () => {
  expect(sourcesWith('.py').filter((code) => /environ|getenv/.test(code))).toEqual([]);
});

it.each([
  "const proxy = process.env['HTTP_PROXY'];",
  'const proxy = environment.HTTP_PROXY;',
  'const { PATH, HTTP_PROXY: proxy } = process.env;',
  'function proxyIn({ HTTP_PROXY }: { readonly HTTP_PROXY?: string }) {}',
  "const keyVariables = ['HTTP_PROXY_API_KEY', 'MILLRACE_HTTP_PROXY'];",
])('finds the variable in %j', (code) => {
  expect(variablesIn(code)).toContainEqual(expect.stringContaining('HTTP_PROXY'));
});

it.each(['// process.env.HTTP_PROXY', "throw problem('HTTP_PROXY');", 'const most = Number.MAX_SAFE_INTEGER;'])(
  'finds no variable in %j',
  (code) => {
    expect(variablesIn(code)).toEqual([]);
  },
);

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
