import { readFileSync } from 'node:fs';
import { readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../index.ts';

const vocabulary = createVocabulary();

const issuesIn = (text: string) =>
  readWorkflow({ file: 'flow.yaml', text }, { vocabulary, mode: 'check' }).issues.map(
    ({ code, line, column, message, hint }) =>
      [`${code} ${line}:${column}`, message, ...(hint === undefined ? [] : [hint])].join(' | '),
  );

const schema = `{type: object, required: [verdict, score, done], properties: {verdict: {enum: [accept, revise]}, score: {type: integer, maximum: 10}, done: {type: boolean}, list: {type: array, items: {type: object, properties: {area: {type: string}}}}, owner: {type: object, properties: {name: {type: string}}}, free: {}}}`;

/** A workflow with a typed agent, a passthrough node behind it, and these edges and nodes. */
const workflow = ({ edge = '', node = '', more = '' }: { edge?: string; node?: string; more?: string }) => `graph:
  id: g
  start: [A]
  end: [Z, T]
  nodes:
    - {id: A, type: agent, config: {provider: openai, name: gpt-6-luna, output: {schema: ${schema}}}}
    - {id: P, type: passthrough, config: {}}
    - {id: Z, type: passthrough, config: {}}
    - {id: T, type: template, config: {${node}}}
  edges:
    - {from: A, to: P}
    - {from: P, to: T}
    - {from: P, to: Z${edge}}
${more}`;
const condition = (config: string) => `, condition: {type: data, config: ${config}}`;

describe('data of a typed agent, behind a passthrough node', () => {
  it.each([
    ['{verdict: accept}'],
    ['{path: score, at_least: 8}'],
    ['{path: owner.name, matches: "^A"}'],
    ['{path: "$.list[*].area", equals: x}'],
    ['{path: list, length: 3}'],
    ['{path: list.0.area, equals: x}'],
    ['{path: free.anything, equals: 3}'],
    ['{path: list, exists: false}'],
  ])('can be compared: %s', (config) => {
    expect(issuesIn(workflow({ edge: condition(config) }))).toEqual([]);
  });

  it.each([
    ['{verdikt: accept}', 'E_DATA_FIELD_UNKNOWN', 'The data have no field "verdikt" | Did you mean "verdict"?'],
    ['{path: owner.nam, equals: x}', 'E_DATA_FIELD_UNKNOWN', 'no field "nam" at "owner.nam" | Did you mean "name"?'],
    ['{path: "$.list[*].aera", equals: x}', 'E_DATA_FIELD_UNKNOWN', 'Did you mean "area"?'],
    ['{path: score.x, equals: x}', 'E_DATA_FIELD_UNKNOWN', 'no field "x" at "score.x"'],
    ['{verdict: acept}', 'E_DATA_VALUE_IMPOSSIBLE', '"verdict" is never "acept" | Did you mean "accept"?'],
    ['{path: verdict, in: [accept, no]}', 'E_DATA_VALUE_IMPOSSIBLE', '"verdict" is never false'],
    ['{done: "true"}', 'E_DATA_VALUE_IMPOSSIBLE', '"done" is never "true"'],
    ['{score: "8"}', 'E_DATA_VALUE_IMPOSSIBLE', 'it is a whole number | Write it without quotes.'],
    ['{score: 8.5}', 'E_DATA_VALUE_IMPOSSIBLE', '"score" is never 8.5'],
    ['{path: score, above: 10}', 'E_DATA_VALUE_IMPOSSIBLE', '"score" is never above 10 within its bounds'],
    ['{path: owner, above: 1}', 'E_DATA_VALUE_IMPOSSIBLE', '"owner" is never above 1 as it is a mapping'],
    ['{path: score, matches: x}', 'E_DATA_VALUE_IMPOSSIBLE', 'has no text to match'],
    ['{path: score, length: 1}', 'E_DATA_VALUE_IMPOSSIBLE', 'has no length'],
  ])('cannot be compared: %s', (config, code, message) => {
    const [first, ...more] = issuesIn(workflow({ edge: condition(config) }));

    expect(first).toMatch(new RegExp(`^${code} 13:\\d\\d`));
    expect(first).toContain(message);
    expect(more).toEqual([]);
  });

  it.each([
    ['processor: {type: pick, config: {path: ownr}}', 'E_DATA_FIELD_UNKNOWN'],
    ['processor: {type: template, config: {template: "{{ data.scor }}"}}', 'E_DATA_FIELD_UNKNOWN'],
    ['dynamic: {type: map, split: {type: json_path, config: {json_path: lst}}}', 'E_DATA_FIELD_UNKNOWN'],
    ['dynamic: {type: map, split: {type: json_path, config: {json_path: score}}}', 'E_SPLIT_NOT_LIST'],
    ['dynamic: {type: map, split: {type: json_path, config: {json_path: ""}}}', 'E_SPLIT_NOT_LIST'],
    ['dynamic: {type: map, config: {split_type: json_path, json_path: score}}', 'E_SPLIT_NOT_LIST'],
  ])('are read by an edge in vain: %s', (edge, code) => {
    expect(issuesIn(workflow({ edge: `, ${edge}` }))).toEqual([expect.stringMatching(`^${code} 13:\\d\\d`)]);
  });

  it.each([
    ['text: "{{ data.scor }}"', 'E_DATA_FIELD_UNKNOWN 9:'],
    ['data: {a: "{{ data.owner.nam }}"}', 'E_DATA_FIELD_UNKNOWN 9:'],
    ['text: "{% for one in data.lst %}{{ one.area }}{% endfor %}"', 'E_DATA_FIELD_UNKNOWN 9:'],
  ])('are read by a template in vain: %s', (node, issue) => {
    expect(issuesIn(workflow({ node }))).toEqual([expect.stringContaining(issue)]);
  });

  it.each([
    ['text: "{{ data.owner.name.upper() }} {{ data.items() }} {{ data.free.x }} {{ metadata.scor }}"'],
    ['text: "{% set data = inputs[0] %}{{ data.scor }}"'],
    [`text: "{{ 'data.scor' }}"`],
  ])('may be read by a template: %s', (node) => {
    expect(issuesIn(workflow({ node }))).toEqual([]);
  });

  it('are those of the items behind a fan-out', () => {
    const split = 'dynamic: {type: map, split: {type: json_path, config: {json_path: list}}}';
    const text = workflow({ edge: `, ${split}` }).replace(
      '{id: Z, type: passthrough, config: {}}',
      '{id: Z, type: template, config: {text: "{{ data.aera }}"}}',
    );

    expect(issuesIn(text)).toEqual([expect.stringMatching(/^E_DATA_FIELD_UNKNOWN 8:.*Did you mean "area"/)]);
  });

  it('are compared with a variable when it has a value', () => {
    const text = workflow({ edge: condition('{verdict: "${VERDICT}"}') });

    expect(issuesIn(text).filter((issue) => issue.startsWith('E_'))).toEqual([]);
    expect(issuesIn(`vars: {VERDICT: acept}\n${text}`)).toEqual([expect.stringMatching(/^E_DATA_VALUE_IMPOSSIBLE 14/)]);
  });

  it('are not known where other messages can arrive', () => {
    const literal = '    - {id: L, type: literal, config: {content: x}}\n';
    const mixed = workflow({ edge: condition('{verdikt: accept}'), more: '    - {from: L, to: P}\n' })
      .replace('  edges:', `${literal}  edges:`)
      .replace('start: [A]', 'start: [A, L]');

    expect(issuesIn(mixed)).toEqual([]);
    expect(issuesIn(workflow({ edge: condition('{verdikt: accept}') }).replace('start: [A]', 'start: [A, P]'))).toEqual(
      [],
    );
  });
});

describe('branches on data', () => {
  const routed = (...configs: readonly string[]) => {
    const edges = configs.map(
      (config, at) => `    - {from: A, to: ${'TZP'[at]}${config === '' ? '' : condition(config)}}`,
    );
    return issuesIn(workflow({}).replace(/ {2}edges:.*/s, `  edges:\n${edges.join('\n')}\n`)).filter((issue) =>
      issue.startsWith('W_BRANCHES'),
    );
  };

  it('are complete if they take all values', () => {
    expect(routed('{verdict: accept}', '{verdict: revise}')).toEqual([]);
    expect(routed('{path: verdict, in: [accept, revise]}')).toEqual([]);
    expect(routed('{verdict: accept}', '{path: verdict, not: accept}')).toEqual([]);
    expect(routed('{done: true}', '{done: false, verdict: accept}', '{done: false, verdict: revise}')).toEqual([]);
  });

  it('are not looked at if an edge takes everything, or decides by more', () => {
    expect(routed('{verdict: accept}', '')).toEqual([]);
    expect(routed('{verdict: accept}', '{path: score, above: 3}')).toEqual([]);
  });

  it('lack a value that no edge takes', () => {
    expect(routed('{verdict: accept}')).toEqual([
      'W_BRANCHES_INCOMPLETE 11:7 | No edge of "A" takes data with "verdict" "revise" | Add an edge for it, or one without a condition, or name the node under "end".',
    ]);
    expect(routed('{done: true}', '{done: false, verdict: accept}')).toEqual([
      expect.stringContaining('takes data with "done" false and "verdict" "revise"'),
    ]);
  });
});

describe('each field name of the example', () => {
  const text = readFileSync(new URL('../../../../examples/triage.yaml', import.meta.url), 'utf8');
  const names = ['title', 'kind', 'urgent', 'findings', 'area', 'note'];
  const places = names.flatMap((name) =>
    [...text.matchAll(new RegExp(`(?<![\\w"-])${name}(?=[:\\],} ]|$)`, 'gm'))]
      // Not in comments and descriptions.
      .filter(({ index }) => !/#.*$|description:.*$|role:.*$/.test(text.slice(text.lastIndexOf('\n', index), index)))
      .map(({ index }) => ({ name, index, line: text.slice(0, index).split('\n').length })),
  );

  it('is written in several places', () => {
    expect(issuesIn(text)).toEqual([]);
    expect(places.length).toBeGreaterThan(15);
  });

  it.each(places)('is missed where it is misspelt: $name in line $line', ({ name, index }) => {
    const misspelt = `${text.slice(0, index)}${name}x${text.slice(index + name.length)}`;

    expect(issuesIn(misspelt).filter((issue) => issue.startsWith('E_'))).not.toEqual([]);
  });
});
