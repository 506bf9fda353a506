import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { audit } from '../../support/runs/audit.ts';
import { bossOf, choosing, play } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';

const finish = ['finish', { summary: 'all said' }] as const;
const say = (words: string) => ['say', { words }] as const;
const call = (name: string, args: unknown) => ({ text: '{last_user}', tool_calls: [{ name, arguments: args }] });

/** An inner boss as a command, in YAML's flow style. */
const within = (name: string, branches: string, { files = '', more = '' } = {}) =>
  `{ description: Inner., type: boss, config: { name: ${name}, ${more}
     memory_files: { plan: memory/${name}.txt, logs: memory/${name}_logs.txt${files} },
     controller: { config: { provider: scripted, name: ${name}, role: 'PLAN<{{plan}}> LOGS<{{logs}}>' } },
     executor: { branches: { ${branches} } } } }`.replaceAll('\n', ' ');
const saying = 'say: { description: Say., args: { words: { required: true } }, type: passthrough, config: {} }';
const controller = '{ config: { provider: scripted, name: outer } }';

onBothStores('bosses', (stage) => {
  it('pass goals down three levels, have a plan each, and return only results and summaries', async () => {
    const planner = (name: string) =>
      `planner: { type: agent, config: { provider: scripted, name: plans, role: 'Plan ${name} for {{goal}}' } },`;
    const low = within('low', saying, { more: planner('low') });
    const mid = within('mid', `work: ${low}`, { more: planner('mid') });
    const script = {
      rules: [
        ...['mid', 'low'].map((name) => ({
          when: { model: 'plans', system_contains: `Plan ${name} for part` },
          reply: `PLAN OF ${name}`,
        })),
        { when: { model: 'low', system_contains: 'PLAN<PLAN OF low> LOGS<>' }, reply: call('say', { words: 'deep' }) },
        { when: { model: 'low', last_contains: 'deep' }, reply: call('finish', { summary: 'low is done' }) },
        {
          when: { model: 'mid', system_contains: 'PLAN<PLAN OF mid> LOGS<>' },
          reply: call('work', { goal: 'part 2' }),
        },
        { when: { model: 'mid', last_contains: 'low is done' }, reply: call('finish', { summary: 'mid is done' }) },
        { when: { model: 'outer', last_contains: 'mid is done' }, reply: call('finish', { summary: 'all done' }) },
        { when: { model: 'outer' }, reply: call('work', { goal: 'part 1' }) },
      ],
    };

    const ending = await play(stage, bossOf({ controller, executor: `{ branches: { work: ${mid} } }` }), { script });

    expect(ending).toMatchObject({ status: 'completed', text: 'all done', data: { rounds: 2 } });
    expect(await ending.prompts('B/executor/work')).toEqual(['part 1', 'low is done']);
    expect(await ending.prompts('B/executor/work/executor/work')).toEqual(['part 2', 'deep']);
    expect(await ending.written('memory/logs.txt')).toEqual(['mid: mid is done']);
    expect(await ending.written('memory/mid_logs.txt')).toEqual(['low: low is done']);
    expect(await ending.written('memory/low_logs.txt')).toEqual(['say: deep']);
    expect(await ending.written('memory/mid.txt')).toEqual(['PLAN OF mid']);
    expect(await ending.written('memory/low.txt')).toEqual(['PLAN OF low']);
  });

  it('of two concurrent runs have separate files', async () => {
    const [one, other] = await Promise.all([
      play(stage, bossOf({}), { script: choosing(say('one'), finish) }),
      play(stage, bossOf({}), { script: choosing(say('two'), say('three'), finish) }),
    ]);

    expect(await one.written('memory/logs.txt')).toEqual(['say: one']);
    expect(await other.written('memory/logs.txt')).toEqual(['say: two', 'say: three']);
  });

  it('see the newest complete entries of long logs, and the number of the others', async () => {
    const fields = {
      max_round: '60',
      memory_files:
        '{ plan: memory/plan.txt, logs: { path: memory/logs.txt, mode: append, view: tail, max_chars: 80 } }',
      controller: "{ next_prompt: '{{logs}}', config: { provider: scripted, name: m } }",
    };
    const words = Array.from({ length: 50 }, (_, at) => `word number ${at + 1}`);

    const ending = await play(stage, bossOf(fields), { script: choosing(...words.map(say), finish) });

    const shown = [47, 48, 49, 50].map((number) => `say: word number ${number}`);
    expect((await ending.prompts('B')).at(-1)).toBe(['(46 earlier entries are not shown)', ...shown].join('\n'));
    expect(await ending.written('memory/logs.txt')).toHaveLength(50);
  });

  it('reset between calls the memory of a call, and keep that of the run', async () => {
    const note = (store: string) =>
      `note_${store}: { description: N., args: { words: { required: true } }, type: memory_write, config: { store: ${store}, value: '{{data.words}}' } }`;
    const files = ', draft: { path: d.txt, mode: append, lifetime: call }, lasting: { path: l.txt, mode: append }';
    const work = within('inner', `${note('draft')}, ${note('lasting')}`, {
      files,
      more: "finish: { finish: { description: F., args: {}, result: 'draft {{draft}} lasting {{lasting}}' } },",
    });
    const round = ['A', 'B'].flatMap((words) => [
      call('note_draft', { words }),
      call('note_lasting', { words }),
      call('finish', {}),
    ]);
    const script = {
      rules: [
        { when: { model: 'inner' }, replies: round },
        {
          when: { model: 'outer' },
          replies: [call('work', { goal: '1' }), call('work', { goal: '2' }), call('finish', { summary: 'ok' })],
        },
      ],
    };

    const ending = await play(stage, bossOf({ controller, executor: `{ branches: { work: ${work} } }` }), { script });

    expect(await ending.prompts('B')).toEqual(['the goal', 'draft A lasting A', 'draft B lasting A\nB']);
  });

  it('keep permanent memory across runs', async () => {
    const name = `memory/${randomUUID()}.txt`;
    const fields = {
      memory_files: `{ plan: memory/plan.txt, logs: { path: ${name}, lifetime: permanent } }`,
      controller: "{ first_prompt: 'LOGS<{{logs}}>', config: { provider: scripted, name: m } }",
    };

    await play(stage, bossOf(fields), { script: choosing(say('one'), finish) });
    const ending = await play(stage, bossOf(fields), { script: choosing(say('two'), finish) });

    expect((await ending.prompts('B'))[0]).toBe('LOGS<say: one>');
  });

  it('plan again in a second call, begin in round 1, and have no earlier messages', async () => {
    const work = within('inner', saying, {
      more: "planner: { type: agent, config: { provider: scripted, name: plans, role: 'Plan {{goal}}' } }, early_exit_key: STOP,",
    }).replace('type: passthrough, config: {}', "type: template, config: { text: '{{data.words}}' }");
    const exit = call('say', { words: '{"STOP": true, "result": "out"}' });
    const script = {
      rules: [
        { when: { model: 'plans' }, replies: ['FIRST PLAN', 'SECOND PLAN'] },
        { when: { model: 'inner', any_contains: 'part 1', system_contains: 'FIRST PLAN' }, reply: exit },
        { when: { model: 'inner', not_contains: 'part 1', system_contains: 'SECOND PLAN' }, reply: exit },
        {
          when: { model: 'outer' },
          replies: [
            call('work', { goal: 'part 1' }),
            call('work', { goal: 'part 2' }),
            call('finish', { summary: 'ok' }),
          ],
        },
      ],
      default: 'wrong prompt',
    };

    const ending = await play(stage, bossOf({ controller, executor: `{ branches: { work: ${work} } }` }), { script });

    expect(ending).toMatchObject({ text: 'ok', data: { rounds: 3 } });
    expect(await ending.prompts('B/executor/work')).toEqual(['part 1', 'part 2']);
    expect(await ending.written('memory/inner.txt')).toEqual(['SECOND PLAN']);
  });

  it('remember messages of earlier calls with permanent memory, and still begin in round 1', async () => {
    const work = within('inner', saying, { more: 'reset: never, ' });
    const done = call('finish', { summary: 'done' });
    const script = {
      rules: [
        { when: { model: 'inner', not_contains: 'part 2' }, reply: done },
        { when: { model: 'inner', any_contains: 'part 1' }, reply: done },
        {
          when: { model: 'outer' },
          replies: [call('work', { goal: 'part 1' }), call('work', { goal: 'part 2' }), done],
        },
      ],
      default: 'forgotten',
    };

    const ending = await play(stage, bossOf({ controller, executor: `{ branches: { work: ${work} } }` }), { script });

    expect(ending).toMatchObject({ text: 'done', data: { rounds: 3 } });
    // The goal is what the model is asked in a first round.
    expect(await ending.prompts('B/executor/work')).toEqual(['part 1', 'part 2']);
    expect(await audit(stage.runtime.store, ending.run, stage.vocabulary)).toEqual([]);
  });

  it('with permanent memory take the units of a map one by one', async () => {
    const text = `${bossOf({ reset: 'never' })}
    - { id: S, type: literal, config: { content: "one|two|three" } }
  edges:
    - from: S
      to: B
      dynamic: { type: map, split: { type: regex, config: { pattern: "[a-z]+" } }, config: { max_parallel: 3 } }
`;
    const reply = (summary: string) => call('finish', { summary });
    const script = {
      rules: [
        { when: { not_contains: 'two' }, reply: reply('knows one') },
        { when: { not_contains: 'three', any_contains: 'one' }, reply: reply('knows two') },
        { when: { any_contains: 'two' }, reply: reply('knows all') },
      ],
      default: 'forgotten',
    };

    const ending = await play(stage, text, { script });

    expect(ending.done.filter(([node]) => node === 'B:finish').map(([, said]) => said)).toEqual([
      'knows one',
      'knows two',
      'knows all',
    ]);
    expect(await audit(stage.runtime.store, ending.run, stage.vocabulary)).toEqual([]);
  });
});
