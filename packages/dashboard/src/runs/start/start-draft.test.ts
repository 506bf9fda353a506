import { ApiProblem } from '@millrace/client';
import { expect, it } from 'vitest';
import type { StartDraft } from './start-draft.ts';
import { errorsByField, mistakesIn, secondsOf, startBodyOf, variablesIn } from './start-draft.ts';

const empty: StartDraft = {
  input: 'Rain',
  vars: { LANGUAGE: '' },
  files: [],
  usd: '',
  tokens: '',
  limit: '',
  tags: '',
  when: 'now',
  cron: '',
  timezone: '',
  schedule: '',
};

it('leaves out what nobody has written', () => {
  expect(startBodyOf('poem', empty)).toEqual({ workflow: 'poem', input: 'Rain' });
});

it('sends what is written, in the words of the API', () => {
  const body = startBodyOf('poem', {
    ...empty,
    vars: { LANGUAGE: 'French' },
    usd: '0.5',
    limit: '30m',
    tags: ' a, b,',
  });

  expect(body).toEqual({
    workflow: 'poem',
    input: 'Rain',
    vars: { LANGUAGE: 'French' },
    budget: { usd: 0.5 },
    timeoutSeconds: 1_800,
    tags: ['a', 'b'],
  });
});

it('reads times with their units, and nothing else', () => {
  expect(['90s', ' 1.5h ', '2d', '90', 'soon'].map(secondsOf)).toEqual([90, 5_400, 172_800, undefined, undefined]);
  expect(Object.keys(mistakesIn({ ...empty, limit: 'soon', when: 'schedule' }))).toEqual([
    'timeoutSeconds',
    'cron',
    'id',
  ]);
});

it('finds the field of an error', () => {
  const errors = [
    { pointer: '/budget/usd', detail: 'must be positive' },
    { pointer: '/run/tags/2', detail: 'is too long' },
    { pointer: 'graph.nodes[0]', detail: 'Variable "LANGUAGE" has no value', code: 'E_VARIABLE_UNRESOLVED' },
  ];
  const problem = new ApiProblem({ status: 422, code: 'REQUEST_INVALID', detail: 'no', errors });

  expect(errorsByField(problem, ['LANGUAGE'])).toEqual({
    'budget.usd': { code: 'REQUEST_INVALID', detail: 'must be positive' },
    tags: { code: 'REQUEST_INVALID', detail: 'is too long' },
    'vars.LANGUAGE': { code: 'E_VARIABLE_UNRESOLVED', detail: 'Variable "LANGUAGE" has no value' },
  });
});

const namesAndValues = (text: string) => variablesIn(text).map(({ name, value }) => `${name}=${value}`);

it('finds declared variables in a block, without what is nested in them', () => {
  const text = `# first
vars:
  LANGUAGE: English # of the letter
  TONE: "warm: yes"

  DEEP:
    inner: 1
  LONG: |
    several lines
graph:
  id: g
`;
  expect(namesAndValues(text)).toEqual(['LANGUAGE=English', 'TONE=warm: yes', 'DEEP=', 'LONG=']);
});

it('finds them in braces, and those that are used without being declared', () => {
  const text = 'vars: { WORD: hello, N: 2 }\ngraph: { id: "${WORD} ${API_KEY}" }';
  expect(namesAndValues(text)).toEqual(['WORD=hello', 'N=2', 'API_KEY=']);
});

it('finds none where there are none', () => {
  expect(variablesIn('graph:\n  vars: { A: 1 }')).toEqual([]);
});
