import type { Task } from '@millrace/client';
import { ApiProblem } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { processTerminal } from '../output/terminal/terminal.ts';
import { parseAnswers } from './answers.ts';
import type { QuestionPrompt } from './question-prompter.ts';
import { createQuestionPrompter, promptTask } from './question-prompter.ts';

const task = (node: string, n = 1): Task => ({
  id: `run_1.a${n}`,
  runId: 'run_1',
  node,
  prompt: '',
  input: '',
});

function receive(options: { answers?: string; prompt?: QuestionPrompt; refuse?: boolean; invalid?: string }) {
  const given: string[] = [];
  const said: string[] = [];
  let cancelled = 0;
  const prompter = createQuestionPrompter({
    async answer(id, text) {
      if (options.refuse)
        throw new ApiProblem({ status: 409, code: 'TASK_ANSWERED', detail: 'It is answered already.' });
      given.push(`${id}: ${text}`);
      if (text === options.invalid)
        throw new ApiProblem({ status: 422, code: 'ANSWER_INVALID', detail: 'It takes data.' });
    },
    terminal: { ...processTerminal(), say: (text) => void said.push(text) },
    onCancel: () => void cancelled++,
    ...(options.answers === undefined ? {} : { answers: parseAnswers(options.answers, 'a.yaml') }),
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
  });
  return { prompter, given, said, cancelled: () => cancelled };
}

describe('the question prompter', () => {
  it('answers from the list, and counts the questions without an answer', async () => {
    const { prompter, given } = receive({ answers: '- shorter' });
    await prompter.ask(task('Reviewer', 1));
    await prompter.ask(task('Reviewer', 2));
    expect(given).toEqual(['run_1.a1: shorter']);
    expect(prompter.unanswered).toBe(1);
  });

  it('prompts the person after the end of the list, one question after the other', async () => {
    const asked: string[] = [];
    const prompt: QuestionPrompt = async ({ node }) => {
      asked.push(`ask ${node}`);
      await Promise.resolve();
      asked.push(`done ${node}`);
      return 'fine';
    };
    const { prompter, given } = receive({ answers: '[]', prompt });
    await Promise.all([prompter.ask(task('A', 1)), prompter.ask(task('B', 2))]);
    while (prompter.busy) await Promise.resolve();
    await prompter.close();
    expect(asked).toEqual(['ask A', 'done A', 'ask B', 'done B']);
    expect(given).toEqual(['run_1.a1: fine', 'run_1.a2: fine']);
  });

  it('withdraws a question that another person has answered, and delays other lines meanwhile', async () => {
    const prompt: QuestionPrompt = (_task, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    const { prompter, given, said, cancelled } = receive({ prompt });
    await prompter.ask(task('A', 1));
    await Promise.resolve();
    prompter.say('✔ B');
    expect(said).toEqual([]);
    prompter.withdraw('run_1.a1');
    await prompter.close();
    expect(said).toEqual(['✔ B']);
    expect([given, cancelled(), prompter.unanswered]).toEqual([[], 0, 0]);
  });

  it('reports that the person pressed Ctrl-C', async () => {
    const { prompter, cancelled } = receive({ prompt: async () => undefined });
    await prompter.ask(task('A', 1));
    while (prompter.busy) await Promise.resolve();
    await prompter.close();
    expect(cancelled()).toBe(1);
  });

  it('continues when an answer comes too late', async () => {
    const { prompter, said } = receive({ answers: '- x', refuse: true });
    await prompter.ask(task('A', 1));
    expect(said).toEqual(['A: It is answered already.']);
  });
});

describe('an answer that is not what the question asks for', () => {
  it('is asked for again', async () => {
    const typed = ['no', 'yes'];
    const { prompter, given, said } = receive({ prompt: async () => typed.shift(), invalid: 'no' });
    await prompter.ask(task('A', 1));
    while (prompter.busy) await Promise.resolve();
    await prompter.close();
    expect([given, said]).toEqual([['run_1.a1: no', 'run_1.a1: yes'], ['A: It takes data.']]);
  });

  it('leaves the question without an answer where nobody can be asked', async () => {
    const { prompter } = receive({ answers: '- no', invalid: 'no' });
    await prompter.ask(task('A', 1));
    expect(prompter.unanswered).toBe(1);
  });
});

describe('a question with a schema', () => {
  const schema = {
    type: 'object',
    properties: {
      verdict: { enum: ['accept', 'revise'] },
      score: { type: 'integer' },
      urgent: { type: 'boolean' },
      remarks: { type: 'array', description: 'What must change.' },
    },
    required: ['verdict', 'urgent'],
  };

  it.each([
    [schema, ['maybe', 'accept', '', 'yes', '["shorter"]'], { verdict: 'accept', urgent: true, remarks: ['shorter'] }],
    [schema, ['revise', '7', 'no', ''], { verdict: 'revise', score: 7, urgent: false }],
    [{ $ref: '#/$defs/a' }, ['[]', '{"a": 1}'], { a: 1 }],
    [schema, ['accept', undefined], undefined],
  ])('is asked for field by field, until each is a value', async (asked, typed, data) => {
    const questions: string[] = [];
    const terminal = {
      ...processTerminal(),
      say: () => {},
      ask: async (question: string) => typed[questions.push(question) - 1],
    };

    const answer = await promptTask(terminal)({ ...task('Editor'), schema: asked }, new AbortController().signal);

    expect(answer).toEqual(data === undefined ? undefined : { data });
    expect(questions).toHaveLength(typed.length);
  });

  it('has questions that say what may be written', async () => {
    const questions: string[] = [];
    const ask = async (question: string) => ['accept', '', 'yes', ''][questions.push(question) - 1];

    await promptTask({ ...processTerminal(), say: () => {}, ask })(
      { ...task('Editor'), schema },
      new AbortController().signal,
    );

    expect(questions).toEqual([
      'verdict (accept | revise):',
      'score (integer, optional):',
      'urgent (yes or no):',
      'remarks (array, optional) – What must change.:',
    ]);
  });
});

describe('a question about the call of a tool', () => {
  const approval = {
    tool: 'refund',
    server: 'https://shop.example/mcp',
    arguments: '{"amount":80}',
    parameters: {},
    rule: 'refund when amount above 20',
    hash: 'h1',
  };

  it.each([
    [['yes'], { decision: 'approve' }],
    [['maybe', 'Y'], { decision: 'approve' }],
    [['no'], { decision: 'reject' }],
    [['No, it is too much.'], { decision: 'reject', reason: 'it is too much.' }],
    [['{"amount": 40}'], { decision: 'approve', arguments: { amount: 40 } }],
    [['', '[40]', 'n'], { decision: 'reject' }],
    [['{"amount": 9007199254740993}', 'n'], { decision: 'reject' }],
  ])('is decided by %j, and the answer names the call that was shown', async (typed, data) => {
    const shown: string[] = [];
    let asked = 0;
    const terminal = {
      ...processTerminal(),
      say: () => {},
      ask: async () => typed[asked++],
      note: async (text: string, title: string) => void shown.push(title, text),
    };

    const answer = await promptTask(terminal)({ ...task('Clerk'), approval }, new AbortController().signal);

    expect(answer).toEqual({ data: { ...data, hash: 'h1' } });
    expect(shown).toEqual([
      'Clerk asks to call refund',
      'refund of https://shop.example/mcp\n{\n  "amount": 80\n}\nRule: refund when amount above 20',
    ]);
  });

  it('is withdrawn with the others of its activation', async () => {
    const prompt: QuestionPrompt = (_task, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    const { prompter, cancelled } = receive({ prompt });
    await prompter.ask({ ...task('Clerk'), id: 'run_1.a1.1', approval });
    await prompter.ask({ ...task('Clerk'), id: 'run_1.a1.2', approval });
    prompter.withdraw('run_1.a1');
    await prompter.close();
    expect([prompter.busy, cancelled()]).toEqual([false, 0]);
  });
});

describe('promptTask', () => {
  it.each([
    [['yes'], 'yes', 1],
    [['', 'yes'], 'yes', 2],
    [[' ', ''], '', 2],
    [[undefined], undefined, 1],
    [['', undefined], undefined, 2],
  ])('prompts again for an empty answer: %j results in %j', async (typed, answer, times) => {
    const questions: string[] = [];
    const ask = async (question: string) => typed[questions.push(question) - 1];

    expect(await promptTask({ ...processTerminal(), ask })(task('Reviewer'), new AbortController().signal)).toBe(
      answer,
    );
    expect(questions).toHaveLength(times);
  });
});
