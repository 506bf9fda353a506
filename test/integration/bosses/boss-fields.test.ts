import { expect, it } from 'vitest';
import type { Call } from '../../support/runs/bosses.ts';
import { bossOf, choosing, play } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';

const finish = ['finish', { summary: 'all said' }] as const;
const say = (words: string) => ['say', { words }] as const;
const call = (name: string, args: unknown) => ({ text: '{last_user}', tool_calls: [{ name, arguments: args }] });
const controller = (fields: string) => `{ ${fields} config: { provider: scripted, name: m } }`;
/** The usual command, with these fields beside. */
const saying = (fields: string, type = 'type: passthrough, config: {}') =>
  `{ branches: { say: { description: Say., args: { words: { required: true } }, ${type}, ${fields} } } }`;

onBothStores('fields of a boss', (stage) => {
  it('take the goal from structured input, or from the field that `inputs` names', async () => {
    const inner = (fields: string) => `{ branches: { work: {
      description: Inner., args: { goal: { required: true }, topic: {} }, type: boss, config: {
        memory_files: { plan: memory/inner.txt }, ${fields}
        controller: { config: { provider: scripted, name: inner } },
        executor: { branches: { ask_user: { builtin: ask_user } } } } } } }`;
    const script = {
      rules: [
        { when: { model: 'inner' }, reply: call('finish', { summary: 'done' }) },
        {
          when: { model: 'm' },
          replies: [call('work', { goal: 'bees', topic: 'honey' }), call('finish', { summary: 'ok' })],
        },
      ],
    };
    const goalOf = async (fields: string) => {
      const executor = inner(fields).replaceAll('\n', ' ');
      return (await play(stage, bossOf({ controller: controller(''), executor }), { script })).prompts(
        'B/executor/work',
      );
    };

    expect(await goalOf('')).toEqual(['bees']);
    expect(await goalOf('inputs: { goal: data.topic },')).toEqual(['honey']);
    expect(await goalOf("inputs: { goal: '{{ data.goal }} and {{ data.topic }}' },")).toEqual(['bees and honey']);
  });

  it('describe commands, inner bosses and files to the controller', async () => {
    const executor =
      '{ branches: { work: { type: boss, config: { description: Works it out., memory_files: { plan: memory/inner.txt }, controller: { config: { provider: scripted, name: m } }, executor: { branches: { ask_user: { builtin: ask_user } } } } } } }';
    const fields = {
      controller:
        "{ first_prompt: '{{commands}} {{memory_files.logs}} {{round}} {{status}}', config: { provider: scripted, name: m } }",
      executor,
    };

    const ending = await play(stage, bossOf(fields), { script: choosing(finish) });

    expect((await ending.prompts('B'))[0]).toBe(
      [
        '- finish: The goal is reached.',
        '    summary (string, required): what was achieved',
        '- work: Works it out.',
        '    goal (string, required): what to achieve memory/logs.txt 1 unfinished',
      ].join('\n'),
    );
  });

  it('show memory files that are read, and write notes as configured', async () => {
    const fields = {
      memory_files: '{ plan: memory/plan.txt, logs: memory/logs.txt, notes: { path: memory/notes.txt, mode: append } }',
      memory_reading: '{ stores: [notes] }',
      memory_writing: "{ store: notes, value: '{{round}}. {{command}} {{command_args.words}}: {{summary}}' }",
      controller: controller("next_prompt: '{{memory.notes}}|{% if logs is defined %}{{logs}}{% endif %}',"),
    };

    const ending = await play(stage, bossOf(fields), { script: choosing(say('one'), say('two'), finish) });

    expect(await ending.prompts('B')).toEqual([
      'the goal',
      '1. say one: say: one|',
      '1. say one: say: one\n2. say two: say: two|',
    ]);
    expect(await ending.written('memory/logs.txt')).toEqual([]);
  });

  it('pass variables to a command, and describe its result in its own words', async () => {
    const fields = {
      executor: saying("inject: [goal, memory_files.plan], result: 'It said {{text}}', summary: 'said for {{goal}}'"),
    };

    const ending = await play(stage, bossOf(fields), { script: choosing(say('one'), finish) });

    const [, given] = ending.done.find(([name]) => name === 'B:executor/say') ?? [];
    expect(given).toBe('one');
    expect((await ending.prompts('B'))[1]).toBe('It said one');
    expect(await ending.written('memory/logs.txt')).toEqual(['said for the goal']);
  });

  it('fail the run for a failed command where so configured', async () => {
    const type = "type: memory_write, config: { store: plan, value: '{{ nothing.here }}' }";

    const ending = await play(stage, bossOf({ executor: saying('on_error: fail', type) }), {
      script: choosing(say('x'), finish),
    });

    expect(ending).toMatchObject({ status: 'failed', error: 'TEMPLATE_FAILED' });
  });

  it('end with their own text: by one of several commands, or at the limit of rounds', async () => {
    const fields = {
      finish:
        "{ done: { args: { answer: { required: true } }, result: 'Answer: {{args.answer}}', summary: 'answered' }, give_up: { description: The user wants to stop., args: {}, result: stopped by the user, status: unfinished } }",
      max_rounds: '1',
      on_max_round: "{ result: 'no more than {{result}}', summary: 'out of rounds' }",
    };
    const ended = async (choice: Call) => (await play(stage, bossOf(fields), { script: choosing(choice) })).data;

    expect(await ended(['done', { answer: '42' }])).toMatchObject({
      result: 'Answer: 42',
      summary: 'answered',
      status: 'finished',
    });
    expect(await ended(['give_up'])).toMatchObject({
      result: 'stopped by the user',
      summary: 'B: stopped by the user',
      status: 'unfinished',
    });
    expect(await ended(say('one'))).toMatchObject({
      result: 'no more than one',
      summary: 'out of rounds',
      status: 'unfinished',
    });
  });

  it('pass the configured input to a further step', async () => {
    const fields = {
      topology: '[controller, executor, check, memory_writing, memory_reading]',
      steps:
        "{ check: { type: template, config: { text: '{{data.what}} for {{data.whom}}' }, input: { what: result, whom: '{{goal}}!' }, output: { checked: text } } }",
      memory_writing: "{ value: '{{checked}}' }",
    };

    const ending = await play(stage, bossOf(fields), { script: choosing(say('one'), finish) });

    expect(await ending.written('memory/logs.txt')).toEqual(['one for the goal!']);
  });

  it('keep a file in the workspace like a memory file, for programs to use', async () => {
    const fields = {
      memory_files: '{ plan: memory/plan.txt, library: { path: memory/library.py, mode: append, mirror: true } }',
      executor: `{ branches: {
        save: { description: Save., args: { code: { required: true } }, type: memory_write, config: { store: library, value: '{{data.code}}' } },
        run: { description: Run., args: { code: { required: true } }, type: python, config: {} } } }`.replaceAll(
        '\n',
        ' ',
      ),
    };
    const define = (name: string) =>
      ['save', { code: `def ${name}(x): return x ** ${name === 'square' ? 2 : 3}` }] as const;
    const code = "exec(open('memory/library.py').read()); print(square(2) + cube(2))";

    const ending = await play(stage, bossOf(fields), {
      script: choosing(define('square'), define('cube'), ['run', { code }], finish),
    });

    expect((await ending.prompts('B')).at(-1)).toMatch(/^12\s*$/);
  });

  it('report to the model which of its calls were ignored', async () => {
    const script = {
      rules: [
        { when: { last_contains: 'the goal' }, reply: { tool_calls: [say('one'), say('two')].map(asCall) } },
        { when: { any_contains: 'Ignored: one command per round.' }, reply: call('finish', { summary: 'ok' }) },
      ],
    };

    const ending = await play(stage, bossOf({ controller: controller('') }), { script });

    expect(ending).toMatchObject({ text: 'ok', data: { rounds: 2 } });
    expect(await ending.written('memory/logs.txt')).toEqual(['say: one']);
  });
});

const asCall = ([name, args]: readonly [string, unknown], at: number) => ({ id: `c${at}`, name, arguments: args });
