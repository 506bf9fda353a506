import { expect, it } from 'vitest';
import type { ForkDraft } from './fork-change.ts';
import { requestOf, wrongLines } from './fork-change.ts';

const draft: ForkDraft = {
  difference: 'settings',
  output: 'o',
  input: 'i',
  prompt: 'Write.',
  model: 'parrot',
  variables: '',
};
const before = { prompt: 'Write.', model: 'parrot' };

it('requests the chosen changes only', () => {
  expect(requestOf('a2', { ...draft, difference: 'output' }, before)).toEqual({ at: 'a2', output: 'o' });
  expect(requestOf('a2', { ...draft, difference: 'input' }, before)).toEqual({ at: 'a2', input: 'i' });
  expect(requestOf('a2', { ...draft, difference: 'again' }, before)).toEqual({ at: 'a2' });
  expect(requestOf('a2', draft, before)).toEqual({ at: 'a2' });
  expect(
    requestOf('a2', { ...draft, model: 'm', variables: ' LANGUAGE = French\n\nURL=http://x/?a=b' }, before),
  ).toEqual({
    at: 'a2',
    model: 'm',
    vars: { LANGUAGE: 'French', URL: 'http://x/?a=b' },
  });
});

it('names the lines that set no variable', () => {
  expect(wrongLines('A=1\nfrench\n\n2B=x')).toEqual(['french', '2B=x']);
});
