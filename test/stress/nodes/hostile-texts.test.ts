import { createVocabulary, createWorkflowReader } from '@millrace/catalog';
import type { EdgeHost } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { afterAll, describe, expect, it } from 'vitest';

const vocabulary = createVocabulary();
const reader = createWorkflowReader(vocabulary);
afterAll(() => reader.close());

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { readonly code?: string }) => error.code,
  );
const fields = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join(',');
const arrays = `[${'[],'.repeat(5_000_000)}1]`;

async function rendered(template: string, text: string): Promise<unknown> {
  const definition = vocabulary.processors.get('template');
  const render = definition?.compile(definition.config.parse({ template }), { compat: false });
  // A processor that renders uses nothing else of its host.
  return render?.(textMessage('user', text, 'A'), { run: 'run_hostile' } as EdgeHost);
}

describe.each([
  ['arrays', `{"a":${arrays}}`],
  ['fields', `{"a":{${fields(1_000_000)}}}`],
  ['numbers', `{"a":[${'1.5,'.repeat(4_000_000)}1]}`],
])('a template of a message with millions of %s', (_what, text) => {
  it('ends no other work', async () => {
    expect(await outcome(rendered('{{ a | length }}', text))).toBe('TEMPLATE_LIMIT');
    expect(await outcome(rendered('{{ content }}', 'good'))).toBe('done');
  });
});

async function found(pattern: string, text: string): Promise<unknown> {
  const definition = vocabulary.processors.get('regex_extract');
  const config = definition?.config.parse({ pattern, group: 1, multiple: true });
  const extract = definition?.compile(config, { compat: false });
  return extract?.(textMessage('user', text, 'A'), { run: 'run_hostile' } as EdgeHost);
}

describe.each([
  ['matches', '(.)', 'x'.repeat(16_000_000)],
  ['matches with a look-ahead', '(?=.)(.)', 'x'.repeat(16_000_000)],
  ['groups', `(?=.)${'()'.repeat(2000)}(.)`, 'x'.repeat(1_000_000)],
])('a search with millions of %s', (_what, pattern, text) => {
  it('ends no other work', async () => {
    expect(['REGEX_TIMEOUT', 'REGEX_TOO_MANY_MATCHES']).toContain(await outcome(found(pattern, text)));
    expect(await outcome(found('(?=.)(.)', 'good'))).toBe('done');
  });
});

async function split(type: string, config: Readonly<Record<string, unknown>>, text: string): Promise<unknown> {
  const divide = vocabulary.splitters.get(type)?.compile(config, { compat: false });
  return divide?.([textMessage('user', text, 'A')], 10_000);
}

describe.each([
  ['json_array', 'arrays', {}, arrays],
  ['json_path', 'fields', { json_path: '$.*' }, `{${fields(1_000_000)}}`],
  ['json_path', 'places', { json_path: '$..*' }, `[${'[1,1],'.repeat(2_000_000)}1]`],
  ['json_path', 'selectors', { json_path: `$[${'*,'.repeat(10_000)}*]` }, `[${'1,'.repeat(100_000)}1]`],
])('a split by %s of millions of %s', (type, _what, config, text) => {
  it('ends no other work', async () => {
    expect(await outcome(split(type, config, text))).toBe('SPLIT_LIMIT');
    expect(await outcome(split('json_path', { json_path: '$.a[*]' }, '{"a":[1]}'))).toBe('done');
  });
});

const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(',');

describe.each([
  ['keys', `a: {${list(250_000, (at) => at.toString(36))}}`],
  ['lists', `a: [${'[],'.repeat(600_000)}]`],
  ['anchors', `a: [${list(150_000, (at) => `&a${at.toString(36)} 1`)}]`],
  ['aliases', `a: &a [${'x,'.repeat(500_000)}]\nb: [${'*a,'.repeat(300_000)}]`],
])('a workflow with many %s', (_what, text) => {
  it('ends no other work', async () => {
    const { isValid } = await reader.read({ text, mode: 'check', wants: 'issues' }, 'a');
    expect(isValid).toBe(false);
    const good = `graph: {id: g, start: [A], nodes: [{id: A, type: literal, config: {content: x}}]}\n#${' '.repeat(20_000)}`;
    expect((await reader.read({ text: good, mode: 'check', wants: 'issues' }, 'b')).isValid).toBe(true);
  });
});
