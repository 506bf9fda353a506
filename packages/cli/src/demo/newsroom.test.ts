import type { Task } from '@millrace/client';
import { expect, it } from 'vitest';
import type { Terminal } from '../output/terminal/terminal.ts';
import { processTerminal } from '../output/terminal/terminal.ts';
import { promptOrAnswer } from './newsroom.ts';

const task = { id: 'run_1.a1', node: 'Editor', prompt: 'Well?', input: '' } as Task;

/** A person's terminal; `ask` returns what was typed, or waits until the question is taken back. */
const terminalWith = (typed?: string): Terminal & { readonly asked: string[] } => {
  const asked: string[] = [];
  return {
    ...processTerminal(),
    asked,
    say: () => undefined,
    note: async () => undefined,
    ask: (question, signal) => {
      asked.push(question);
      if (typed !== undefined) return Promise.resolve(typed);
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined)));
    },
  };
};
const never = new AbortController().signal;

function answersOf(...list: string[]) {
  return { next: () => list.shift() };
}

it('answers for a person who does not type, and does not prompt again', async () => {
  const terminal = terminalWith();
  const prompt = promptOrAnswer({ terminal, answers: answersOf('Shorter.', 'ACCEPT'), answerAfterMs: 1 });

  expect([await prompt(task, never), await prompt(task, never)]).toEqual(['Shorter.', 'ACCEPT']);
  expect(terminal.asked).toEqual(['Well?']);
});

it('uses the answers of a person who types, and their Ctrl-C', async () => {
  const prompt = promptOrAnswer({ terminal: terminalWith('Warmer.'), answers: answersOf('x'), answerAfterMs: 60_000 });
  expect(await prompt(task, never)).toBe('Warmer.');

  const withdrawn = new AbortController();
  const asked = promptOrAnswer({ terminal: terminalWith(), answers: answersOf('x'), answerAfterMs: 60_000 });
  const answer = asked(task, withdrawn.signal);
  withdrawn.abort();
  expect(await answer).toBeUndefined();
});
