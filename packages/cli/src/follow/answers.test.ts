import { describe, expect, it } from 'vitest';
import { CommandError } from '../exit/exit.ts';
import { parseAnswers } from './answers.ts';

describe('an answers file', () => {
  it('returns the answers of a list in the order of the questions, of all nodes', () => {
    const answers = parseAnswers('- shorter\n- ACCEPT\n', 'a.yaml');
    expect([answers.next('A'), answers.next('B'), answers.next('A')]).toEqual(['shorter', 'ACCEPT', undefined]);
  });

  it('returns the answers of each node in order, or the same answer every time', () => {
    const answers = parseAnswers('Reviewer: [one, two]\nBoss: fine\n', 'a.yaml');
    expect([answers.next('Reviewer'), answers.next('Boss'), answers.next('Boss')]).toEqual(['one', 'fine', 'fine']);
    expect([answers.next('Reviewer'), answers.next('Reviewer'), answers.next('Other')]).toEqual([
      'two',
      undefined,
      undefined,
    ]);
  });

  it('reads numbers and booleans as the text that a person would type', () => {
    const answers = parseAnswers('- 3\n- true\n', 'a.yaml');
    expect([answers.next('A'), answers.next('A')]).toEqual(['3', 'true']);
  });

  it('reads the data of forms', () => {
    const answers = parseAnswers('Editor: {data: {verdict: accept}}\n', 'a.yaml');
    expect(answers.next('Editor')).toEqual({ data: { verdict: 'accept' } });
  });

  it.each(['just text', '- [nested]', '- {a: b}', 'Reviewer: {a: b}', '', '- "open'])('refuses %j', (text) => {
    expect(() => parseAnswers(text, 'a.yaml')).toThrow(CommandError);
  });
});
