import type { Block, Warning } from '@millrace/core';
import { readWorkflow, textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../index.ts';
import { DataConfig, dataCondition } from './data.ts';

async function outcome(config: unknown, content: string | readonly Block[]) {
  const warnings: Warning[] = [];
  const compiled = dataCondition.compile(DataConfig.parse(config), { compat: false });
  const message = { ...textMessage('assistant', '', 'Judge'), content };
  const holds = await compiled('', message, (warning) => warnings.push(warning));
  return [holds, ...warnings.map(({ message: text }) => text)];
}

describe('the data condition', () => {
  const block: Block = { type: 'data', data: { verdict: 'accept', score: 8 }, text: 'Accepted.' };

  it.each([
    ['the data of a message', { verdict: 'accept' }, [block], true],
    ['several fields', { verdict: 'accept', score: 8 }, [block], true],
    ['several fields of which one differs', { verdict: 'accept', score: 9 }, [block], false],
    ['the long form', { path: 'score', at_least: 8 }, [block], true],
    ['a text that is a JSON object', { path: 'a.b', equals: 1 }, '{"a": {"b": 1}}', true],
    ['a field that is null', { late: null }, '{"late": null}', true],
  ])('compares %s', async (_what, config, content, expected) => {
    expect(await outcome(config, content)).toEqual([expected]);
  });

  it.each([
    [{ verdict: 'accept' }, 'Accepted.', '"verdict" does not exist'],
    [{ path: 'verdict', not: 'accept' }, '{"score": 8}', '"verdict" does not exist'],
    [{ path: 'score', above: 3 }, '{"score": "8"}', '"score" is "8", not a number above 3'],
  ])('lets nothing pass without the field, with a warning: %j of %s', async (config, content, reason) => {
    const warning = `A condition on the data of "Judge" does not hold: ${reason}`;

    expect(await outcome(config, content)).toEqual([false, warning]);
  });
});

describe('an edge with a data condition', () => {
  const vocabulary = createVocabulary();
  const issuesOf = (config: string) => {
    const text = `
graph:
  id: routing
  nodes:
    - { id: A, type: passthrough, config: {} }
    - { id: B, type: passthrough, config: {} }
  edges:
    - { from: A, to: B, condition: { type: data, config: ${config} } }
`;
    const { issues } = readWorkflow({ file: 'flow.yaml', text }, { vocabulary, mode: 'run' });
    return issues.map(({ code, line, column, message, hint }) =>
      [`${code} ${line}:${column}`, message, hint].join(' | '),
    );
  };

  it.each(['{ path: score, at_least: 8 }', '{ verdict: accept }', '{ late: null }', '{ path: path, equals: 1 }'])(
    'is read: %s',
    (config) => {
      expect(issuesOf(config)).toEqual([]);
    },
  );

  it.each([
    ['{}', 'E_FIELD_INVALID 8:58 | Write a path and a comparison, or a field and its value | '],
    ['{ path: a, atleast: 8 }', '"atleast" is not a comparison | Did you mean "at_least"?'],
    ['{ length: 8 }', 'E_FIELD_INVALID 8:'],
    ['{ verdict: [a, b] }', 'E_FIELD_TYPE 8:'],
    ['{ path: a, above: x }', 'E_FIELD_TYPE 8:'],
    ['{ path: "$.a[", equals: x }', 'E_JSON_PATH_INVALID 8:'],
    ['{ a..b: x }', 'E_JSON_PATH_INVALID 8:'],
    ['{ path: a, matches: "(" }', 'E_REGEX_INVALID 8:'],
  ])('is refused with its place: %s', (config, expected) => {
    expect(issuesOf(config)[0]).toContain(expected);
  });
});
