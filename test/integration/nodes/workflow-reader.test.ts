import { createVocabulary, createWorkflowReader } from '@millrace/catalog';
import { afterAll, describe, expect, it } from 'vitest';
import { longestTurn } from '../../support/longest-turn.ts';

const vocabulary = createVocabulary({ conditions: new Map([['is_long', (text) => text.length > 1000]]) });
const reader = createWorkflowReader(vocabulary);
afterAll(() => reader.close());

const read = (text: string, owner = 'a') => reader.read({ text, mode: 'check', wants: 'workflow' }, owner);

/** So large that it is read in a thread. */
const padded = (text: string): string => `${text}\n${'#'.repeat(20_000)}`;
const graph = (edge: string) =>
  `graph:
  id: g
  start: [A]
  nodes: [{id: A, type: literal, config: {content: x}}, {id: B, type: passthrough, config: {}}]
  edges: [{from: A, to: B, condition: ${edge}}]`;

/** Returns the number of texts that are read before the event loop goes on, which replies of threads need. */
async function readAtOnce(texts: readonly string[]): Promise<number> {
  let done = 0;
  const reads = texts.map((text) => read(text, 'counted').then(() => void done++));
  for (let turn = 0; turn < 10; turn++) await undefined;
  const atOnce = done;
  await Promise.all(reads);
  return atOnce;
}

describe('a short workflow', () => {
  const withEdge = (edge: string) => graph('"true"').replace('condition: "true"', edge);
  const template = (written: string) => withEdge(`processor: {type: template, config: {template: ${written}}}`);
  const pattern = (written: string) => graph(`{type: regex, config: {pattern: ${written}}}`);

  it('is read at once with short templates, as often as it is asked for', async () => {
    const short = template(JSON.stringify('{% if content %}{{ content | upper }}{% endif %}'));

    expect(await readAtOnce(Array.from({ length: 60 }, () => short))).toBe(60);
  });

  it.each([
    ['a template that multiplies', template('"{{ 2 * 3 }}"')],
    ['an operator in an escape of YAML', template('"{{ 2 \\x2a 3 }}"')],
    ['an operator in a variable', `vars: {M: "*"}\n${template("'{{ 2 ${M} 3 }}'")}`],
    ['a long template', template(JSON.stringify(`{{ a${' + a'.repeat(200)} }}`))],
    ['a pattern with a count', pattern("'(a{10}){10}'")],
    ['a count in an escape of YAML', pattern('"(a\\x7b10})\\u007b10}"')],
    ['a count in a variable', `vars: {M: "{"}\n${pattern("'(a${M}10}){10}'")}`],
  ])('is left to a thread with %s', async (_what, text) => {
    expect((await read(text)).issues).toEqual([]);
    expect(await readAtOnce([text])).toBe(0);
  });
});

describe('a workflow that nests too deeply', () => {
  const groups = (count: number) =>
    graph(`{type: regex, config: {pattern: '${'('.repeat(count)}a${')'.repeat(count)}'}}`);

  it('has a problem at the pattern, directly and in a thread', async () => {
    for (const text of [groups(1000), padded(groups(1000))]) {
      const { isValid, issues } = await read(text);
      expect({ isValid, codes: issues.map(({ code }) => code) }).toEqual({
        isValid: false,
        codes: ['E_REGEX_INVALID'],
      });
    }
    expect((await read(groups(50))).issues).toEqual([]);
  });

  it('has a problem with variables', async () => {
    const variables = { a: JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) };
    const { isValid, issues } = await reader.read(
      { text: graph('"true"'), variables, mode: 'check', wants: 'issues' },
      'a',
    );

    expect({ isValid, codes: issues.map(({ code }) => code) }).toEqual({ isValid: false, codes: ['E_READ_LIMIT'] });
  });
});

describe('a workflow read in a thread', () => {
  it('is the same as one read directly, with functions of the installation', async () => {
    for (const text of [graph('is_long'), graph('is_lnog'), graph('{type: regex, config: {pattern: "("}}'), 'a: b']) {
      const [light, heavy] = [await read(text), await read(padded(text))];
      expect(heavy).toEqual(light);
    }
    expect((await read(padded(graph('is_long')))).isValid).toBe(true);
  });

  it('delays no other work, and is aborted when it takes too long', async () => {
    const escapes = read(`"${'\\x'.repeat(900_000)}`);
    const hold = longestTurn(escapes);
    const others = await Promise.all([read(padded(graph('is_long')), 'b'), read(graph('is_long'), 'b')]);
    const { isValid, issues } = await escapes;

    expect(others.map(({ isValid }) => isValid)).toEqual([true, true]);
    expect({ isValid, codes: issues.map(({ code }) => code) }).toEqual({ isValid: false, codes: ['E_READ_LIMIT'] });
    expect(await hold).toBeLessThan(1000);
    expect((await read(padded(graph('is_long')))).isValid).toBe(true);
  });

  it('waits for a limited number of others of its owner', async () => {
    const slow = Array.from({ length: 30 }, (_, at) =>
      read(padded(graph('is_long')).padEnd(21_000 + at, '#'), 'crowd'),
    );
    const refused = (await Promise.allSettled(slow)).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { code: 'NOT_READY' } });
  });

  it('waits without limit in the background, and does not delay requests of its owner', async () => {
    const task = (at: number) =>
      ({ text: padded(graph('is_long')).padEnd(22_000 + at, '#'), mode: 'check', wants: 'issues' }) as const;
    let left = 60;
    const rows = Array.from({ length: left }, (_, at) =>
      reader.background.read(task(at), 'crowd').then(({ isValid }) => {
        left -= 1;
        return isValid;
      }),
    );
    expect((await reader.read(task(60), 'crowd')).isValid).toBe(true);
    expect(left).toBeGreaterThan(40);
    expect(new Set(await Promise.all(rows))).toEqual(new Set([true]));
  });
});
