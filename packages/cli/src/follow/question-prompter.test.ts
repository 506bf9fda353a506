import { RequestError } from '@millrace/core';
import type { Task } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { processTerminal } from '../output/terminal.ts';
import { parseAnswers } from './answers.ts';
import type { Prompt } from './question-prompter.ts';
import { createReception } from './question-prompter.ts';

const task = (node: string, n = 1): Task => ({
  id: `run_1.a${n}`,
  run: 'run_1',
  activation: `a${n}`,
  node,
  wait: { kind: 'human', prompt: '', input: '' },
});

function receive(options: { answers?: string; prompt?: Prompt; refuse?: boolean }) {
  const given: string[] = [];
  const said: string[] = [];
  let cancelled = 0;
  const reception = createReception({
    installation: {
      async answer({ activation, node }, { text }) {
        if (options.refuse) throw new RequestError('TASK_ANSWERED', 'It is answered already.');
        given.push(`${activation} ${node}: ${text}`);
      },
    },
    terminal: { ...processTerminal(), say: (text) => void said.push(text) },
    onCancel: () => void cancelled++,
    ...(options.answers === undefined ? {} : { answers: parseAnswers(options.answers, 'a.yaml') }),
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
  });
  return { reception, given, said, cancelled: () => cancelled };
}

describe('the reception', () => {
  it('answers from the list, and counts the questions that are left without an answer', async () => {
    const { reception, given } = receive({ answers: '- shorter' });
    await reception.ask(task('Reviewer', 1));
    await reception.ask(task('Reviewer', 2));
    expect(given).toEqual(['a1 Reviewer: shorter']);
    expect(reception.unanswered).toBe(1);
  });

  it('asks the person when the list is used up, one question after the other', async () => {
    const asked: string[] = [];
    const prompt: Prompt = async ({ node }) => {
      asked.push(`ask ${node}`);
      await Promise.resolve();
      asked.push(`done ${node}`);
      return 'fine';
    };
    const { reception, given } = receive({ answers: '[]', prompt });
    await Promise.all([reception.ask(task('A', 1)), reception.ask(task('B', 2))]);
    while (reception.busy) await Promise.resolve();
    await reception.close();
    expect(asked).toEqual(['ask A', 'done A', 'ask B', 'done B']);
    expect(given).toEqual(['a1 A: fine', 'a2 B: fine']);
  });

  it('takes a question back that somebody else has answered, and holds lines back meanwhile', async () => {
    const prompt: Prompt = (_task, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    const { reception, given, said, cancelled } = receive({ prompt });
    await reception.ask(task('A', 1));
    await Promise.resolve();
    reception.say('✔ B');
    expect(said).toEqual([]);
    reception.withdraw('a1');
    await reception.close();
    expect(said).toEqual(['✔ B']);
    expect([given, cancelled(), reception.unanswered]).toEqual([[], 0, 0]);
  });

  it('reports that the person pressed Ctrl-C', async () => {
    const { reception, cancelled } = receive({ prompt: async () => undefined });
    await reception.ask(task('A', 1));
    while (reception.busy) await Promise.resolve();
    await reception.close();
    expect(cancelled()).toBe(1);
  });

  it('goes on when an answer comes too late', async () => {
    const { reception, said } = receive({ answers: '- x', refuse: true });
    await reception.ask(task('A', 1));
    expect(said).toEqual(['A: It is answered already.']);
  });
});
