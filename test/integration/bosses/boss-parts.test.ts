import { expect, it } from 'vitest';
import { bossOf, choosing, play } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';

const finish = ['finish', { summary: 'all said' }] as const;
const say = (words: string) => ['say', { words }] as const;

onBothStores('a boss', (stage) => {
  it('runs further steps in each round, before the notes', async () => {
    const fields = {
      topology: '[controller, executor, review, memory_writing, memory_reading]',
      steps:
        "{ review: { type: human, config: { description: 'Right? {{result}}' }, output: { verdict: '{{text}}' } } }",
      memory_writing: "{ value: '{{summary}} ({{verdict}})' }",
    };

    const ending = await play(stage, bossOf(fields), { script: choosing(say('one'), finish), answers: ['good'] });

    expect(await ending.written('memory/logs.txt')).toEqual(['say: one (good)']);
  });

  it('plans once, plans again on request, and shows the newest plan', async () => {
    const fields = {
      planner: "{ type: agent, config: { provider: scripted, name: p, role: 'Plan for {{goal}}' } }",
      executor: '{ branches: { re_plan: { builtin: re_plan }, update_plan: { builtin: update_plan } } }',
    };
    const script = {
      rules: [
        { when: { system_contains: 'Plan for the goal', last_contains: 'too long' }, reply: 'SHORT' },
        { when: { system_contains: 'Plan for the goal' }, reply: 'LONG' },
        {
          when: { system_contains: 'PLAN<LONG>' },
          reply: { tool_calls: [{ name: 're_plan', arguments: { goal: 'too long' } }] },
        },
        {
          when: { system_contains: 'PLAN<SHORT>' },
          reply: { tool_calls: [{ name: 'update_plan', arguments: { updated_plan: 'MINE' } }] },
        },
        {
          when: { system_contains: 'PLAN<MINE> LOGS<re_plan: plan replaced\nupdate_plan: plan updated>' },
          reply: { tool_calls: [{ name: 'finish', arguments: { summary: 'ok' } }] },
        },
      ],
    };

    const ending = await play(stage, bossOf(fields), { script });

    expect(ending).toMatchObject({ text: 'ok', data: { rounds: 3 } });
    expect(await ending.written('memory/plan.txt')).toEqual(['MINE']);
    const plans = ending.done.flatMap(([name, text]) => (/^B:(planner|executor\/re_plan)$/.test(name) ? [text] : []));
    expect(plans).toEqual(['LONG', 'SHORT']);
  });

  it('uses given plans and logs, without a planner', async () => {
    const inputs = "{ plan: 'the plan', logs: 'done before' }"
      .replace("'the plan'", "'GIVEN {{text}}'")
      .replace("'done before'", '\'{{ "before" }}\'');
    const script = {
      rules: [
        {
          when: { system_contains: 'PLAN<GIVEN the goal> LOGS<before>' },
          reply: { tool_calls: [{ name: 'finish', arguments: { summary: 'ok' } }] },
        },
      ],
      default: 'wrong prompt',
    };

    expect(await play(stage, bossOf({ inputs, max_round: '1' }), { script })).toMatchObject({ text: 'ok' });
  });

  it('calls another boss, which starts again each time and shares the files that both name', async () => {
    const inner = `{ description: Inner., type: boss, config: {
      memory_files: { plan: memory/inner.txt, logs: memory/inner_logs.txt, shared: { path: ./memory/shared.txt, mode: append } },
      controller: { config: { provider: scripted, name: inner } },
      executor: { branches: { note: { description: Note., args: { words: { required: true } }, type: memory_write, config: { store: shared, value: '{{data.words}}' } } } } } }`;
    const fields = {
      memory_files: '{ plan: memory/plan.txt, logs: memory/logs.txt, mine: { path: memory/shared.txt, mode: append } }',
      controller: "{ config: { provider: scripted, name: outer, role: 'SHARED<{{mine}}>' } }",
      executor: `{ branches: { work: ${inner.replaceAll('\n', ' ')} } }`,
    };
    const call = (name: string, args: unknown) => ({ text: '{last_user}', tool_calls: [{ name, arguments: args }] });
    const script = {
      rules: [
        {
          when: { model: 'inner', not_contains: 'noted' },
          replies: [
            call('note', { words: 'A' }),
            call('finish', { summary: 'noted A' }),
            call('note', { words: 'B' }),
            call('finish', { summary: 'noted B' }),
          ],
        },
        { when: { model: 'outer', system_contains: 'SHARED<>' }, reply: call('work', { goal: 'first' }) },
        { when: { model: 'outer', system_contains: 'SHARED<A>' }, reply: call('work', { goal: 'second' }) },
        { when: { model: 'outer', system_contains: 'SHARED<A\nB>' }, reply: call('finish', { summary: 'done' }) },
      ],
    };

    const ending = await play(stage, bossOf(fields), { script });

    expect(ending).toMatchObject({ text: 'done', data: { rounds: 3 } });
    expect(await ending.prompts('B/executor/work')).toEqual(['first', 'A', 'second', 'B']);
    expect(await ending.written('memory/shared.txt')).toEqual(['A', 'B']);
    expect(await ending.written('memory/logs.txt')).toEqual(['executor/work: noted A', 'executor/work: noted B']);
    expect(await ending.written('memory/inner_logs.txt')).toHaveLength(2);
  });

  it('accepts the nested spelling', async () => {
    const text = `
graph:
  id: nested
  nodes:
    - id: B
      type: boss
      config:
        name: Nested
        memory_files: { plan: memory/plan.txt, logs: memory/logs.txt }
        topology: [MemoryReading, Planner, CtrlExMem]
        subflows_config:
          MemoryReading: { stores: all }
          Planner: { type: agent, config: { provider: scripted, name: m } }
          CtrlExMem:
            max_round: 5
            topology: [Controller, Executor, MemoryWriting, MemoryReading]
            subflows_config:
              Controller: { config: { provider: scripted, name: m } }
              Executor:
                subflows_config:
                  say: { description: Say., args: { words: { required: true } }, type: passthrough, config: {} }
`;
    const ending = await play(stage, text, { script: choosing(say('one'), finish) });

    expect(ending.data).toMatchObject({ summary: 'Nested: all said', rounds: 2 });
    expect(await ending.written('memory/plan.txt')).toEqual(['PLAN']);
  });

  it('counts a map inside a command as one round with one result', async () => {
    const graph =
      "{ id: fan, start: [A], nodes: [{ id: A, type: passthrough, config: {} }, { id: B, type: passthrough, config: {} }], edges: [{ from: A, to: B, dynamic: { type: map, split: { type: regex, config: { pattern: '[a-z]+' } } } }] }";
    const executor = `{ branches: { say: { description: Say., args: { words: { required: true } }, type: subgraph, config: { type: config, config: ${graph} } } } }`;

    const ending = await play(stage, bossOf({ executor }), { script: choosing(say('a b c d e f g h i j'), finish) });

    expect((await ending.prompts('B'))[1]).toBe('a b c d e f g h i j'.replaceAll(' ', '\n\n'));
    expect(await ending.written('memory/logs.txt')).toHaveLength(1);
    expect(ending.done.filter(([name]) => name === 'B/executor/say:B')).toHaveLength(10);
    expect(ending.data).toMatchObject({ rounds: 2 });
  });
});
