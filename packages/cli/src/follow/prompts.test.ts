import type { Task } from '@millrace/client';
import { expect, it } from 'vitest';
import { processTerminal } from '../output/terminal/terminal.ts';
import { promptTask } from './prompts.ts';

const task: Task = {
  id: 'run_1.a1',
  runId: 'run_1',
  node: 'Reviewer',
  prompt: 'Is it good?',
  input: '',
};

it.each([
  [['yes'], 'yes', 1],
  [['', 'yes'], 'yes', 2],
  [[' ', ''], '', 2],
  [[undefined], undefined, 1],
  [['', undefined], undefined, 2],
])('prompts again for an empty answer: %j results in %j', async (typed, answer, times) => {
  const questions: string[] = [];
  const ask = async (question: string) => typed[questions.push(question) - 1];

  expect(await promptTask({ ...processTerminal(), ask })(task, new AbortController().signal)).toBe(answer);
  expect(questions).toHaveLength(times);
});
