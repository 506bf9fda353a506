import { defineTool, readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fillArguments } from '../../../comparison/path-arguments.ts';
import { createVocabulary } from '../../../index.ts';
import { writtenEffect } from './effects-config.ts';
import { toolPattern } from './tool-pattern.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({}),
  effect: 'once',
  execute: () => 'paid',
});
const vocabulary = createVocabulary({ tools: [pay] });

/** Returns the problems of an entry of `tooling`, with the columns of their places. */
function problems(entry: string): string[] {
  const config = 'config: { tools: [{ name: pay }, { name: read_file }, { name: save_file }] }';
  const text = `graph:
  id: g
  nodes:
    - id: A
      type: agent
      config:
        provider: openai
        name: gpt-6-sol
        tooling:
          - ${entry.startsWith('type') ? entry : `{type: function, ${config}, ${entry}}`}
`;
  const { issues } = readWorkflow({ file: 'w.yaml', text }, { vocabulary, mode: 'check' });
  return issues
    .filter(({ path }) => path.includes('tooling'))
    .map(({ code, line, path }) => `${code} ${line} ${path.replace('graph.nodes[0].config.tooling[0]', '')}`);
}

describe('effects of tools', () => {
  it.each([
    ['effects: {pay: once, read_file: read}, on_unknown: {pay: ask}'],
    ['on_unknown: {pay: {verify: {tool: read_file, arguments: {path: $.file}}}}'],
    ["effects: {'*_file': once}, on_unknown: {'save_*': repeat}"],
  ])('accept %s', (entry) => {
    expect(problems(entry)).toEqual([]);
  });

  it.each([
    ['effects: {pays: once}', 'E_TOOL_UNKNOWN 10 .effects.pays'],
    ['effects: {pay: twice}', 'E_FIELD_INVALID 10 .effects.pay'],
    ['on_unknown: {pay: hope}', 'E_FIELD_INVALID 10 .on_unknown.pay'],
    ['on_unknown: {save_file: ask}', 'E_FIELD_INVALID 10 .on_unknown.save_file'],
    ['on_unknown: {pay: {verify: {tool: reed_file}}}', 'E_TOOL_UNKNOWN 10 .on_unknown.pay.verify.tool'],
    ['on_unknown: {pay: {verify: {tool: save_file}}}', 'E_FIELD_INVALID 10 .on_unknown.pay.verify.tool'],
    [
      'on_unknown: {pay: {verify: {tool: read_file, arguments: {path: "$.a["}}}}',
      'E_JSON_PATH_INVALID 10 .on_unknown.pay.verify.arguments.path',
    ],
    [
      'on_unknown: {pay: {verify: {tool: read_file, arguments: {path: "$.*"}}}}',
      'E_JSON_PATH_INVALID 10 .on_unknown.pay.verify.arguments.path',
    ],
  ])('refuse %s', (entry, problem) => {
    expect(problems(entry)).toEqual([problem]);
  });

  it('are those of the exact name, before the first pattern that matches', () => {
    const effects = { '*': 'once', 'get_*': 'read', get_all: 'idempotent' } as const;

    expect(['get_all', 'get_one', 'put'].map((name) => writtenEffect(name, { effects }).effect)).toEqual([
      'idempotent',
      'once',
      'once',
    ]);
  });

  it('fill in the arguments of the tool that verifies', () => {
    const written = { ref: '$.order.id', all: true, missing: '$.nothing' };

    expect(fillArguments(written, { order: { id: 7 } })).toEqual({ ref: 7, all: true });
  });
});

it.each([
  ['get_*', 'get_all', true],
  ['get_*', 'forget_all', false],
  ['*', '', true],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'a1c2b', false],
  ['ab*ba', 'aba', false],
  ['a*b*b', 'ab', false],
  ['a.c', 'abc', false],
])('the pattern %s for the name %s: %s', (pattern, name, matches) => {
  expect(toolPattern(pattern)(name)).toBe(matches);
});
