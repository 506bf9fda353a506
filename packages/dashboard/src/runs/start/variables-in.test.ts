import { expect, it } from 'vitest';
import { variablesIn } from './variables-in.ts';

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
