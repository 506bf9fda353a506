import { expect, it } from 'vitest';
import type { Ending } from '../support/bosses.ts';
import { bossOf, choosing, play } from '../support/bosses.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { Stage } from '../support/stage.ts';

const finish = ['finish', { summary: 'all said' }] as const;
const say = (words: string) => ['say', { words }] as const;
const call = (name: string, args: unknown) => ({ text: '{last_user}', tool_calls: [{ name, arguments: args }] });
const count = ({ done }: Ending, node: string) => done.filter(([name]) => name === node).length;

/** An inner boss as a command, in YAML's flow style. */
const within = (name: string, branches: string, more = '') =>
  `{ description: Inner., type: boss, config: { name: ${name}, memory_files: { plan: memory/${name}.txt, logs: memory/${name}_logs.txt }, ${more}
     controller: { config: { provider: scripted, name: ${name}, role: 'PLAN<{{plan}}> LOGS<{{logs}}>' } }, executor: { branches: { ${branches} } } } }`.replaceAll(
    '\n',
    ' ',
  );
const saying = 'say: { description: Say., args: { words: { required: true } }, type: passthrough, config: {} }';
const controller = "{ config: { provider: scripted, name: outer, role: 'LOGS<{{logs}}>' } }";

async function resume({ runtime: { runs } }: Stage, run: string) {
  const { seen } = (await runs.describe(run)) ?? {};
  await runs.resume(run, [], {});
  const events = [];
  for await (const { event } of runs.watch(run, seen ?? '0', AbortSignal.timeout(10_000))) events.push(event.type);
  return { description: await runs.describe(run), events };
}

onBothStores('a boss that is stopped', (stage) => {
  it('by its own termination is unfinished, with the result of its latest round and the reason', async () => {
    const termination = '{ type: max_turns, config: { max_turns: 3, sources: [controller] } }';
    const script = choosing(say('one'), say('two'), say('three'), finish);

    const ending = await play(stage(), bossOf({ termination }), { script });

    expect(ending).toMatchObject({ status: 'completed', text: 'two' });
    expect(ending.data).toEqual({
      result: 'two',
      summary: 'B: stopped in round 3 (max_turns: 3 of 3)',
      status: 'unfinished',
      rounds: 2,
      stop_reason: 'max_turns: 3 of 3',
    });
    const output = (await stage().runtime.runs.describe(ending.run))?.output;
    expect(output?.metadata).toMatchObject({ status: 'unfinished', stop_reason: 'max_turns: 3 of 3' });
    expect(await ending.written('memory/logs.txt')).toEqual(['say: one', 'say: two']);
  });

  it('before it has a result gives the reason in place of one', async () => {
    const termination = '{ type: token_usage, config: { max_total: 1 } }';

    const ending = await play(stage(), bossOf({ termination }), { script: choosing(say('one'), finish) });

    expect(ending.data).toMatchObject({ status: 'unfinished', rounds: 0 });
    expect(ending.text).toBe(ending.data['stop_reason']);
    expect(ending.text).toMatch(/^token_usage: total/);
    expect(count(ending, 'B:executor/say')).toBe(0);
  });

  it('counts what is said, not what its memory files forward', async () => {
    const termination = '{ type: max_messages, config: { max_messages: 4 } }';

    const ending = await play(stage(), bossOf({ termination }), { script: choosing(say('one'), say('two'), finish) });

    expect([count(ending, 'B:controller'), count(ending, 'B:executor/say')]).toEqual([2, 2]);
  });

  it('below another one leaves that a further round, and the tokens of both are counted above', async () => {
    const work = within('inner', saying, 'termination: [{ type: token_usage, config: { max_total: 1 } }],');
    const script = {
      rules: [
        { when: { model: 'inner' }, reply: call('say', { words: 'x' }) },
        { when: { model: 'outer', system_contains: 'LOGS<inner: stopped' }, reply: call('finish', { summary: 'ok' }) },
        { when: { model: 'outer' }, reply: call('work', { goal: 'g' }) },
      ],
    };

    const ending = await play(stage(), bossOf({ controller, executor: `{ branches: { work: ${work} } }` }), { script });

    expect(ending).toMatchObject({ status: 'completed', text: 'ok', data: { status: 'finished', rounds: 2 } });
    expect((await ending.written('memory/logs.txt'))[0]).toMatch(/^inner: stopped in round 1 \(token_usage: /);
  });

  it('with the graph around it goes on in the round in which it stood', async () => {
    const text = bossOf({}).replace(
      'id: bosses',
      `id: bosses
  termination: { type: max_messages, config: { max_messages: 5, sources: [B/controller], include_nested: true } }`,
    );
    const script = choosing(say('one'), say('two'), say('three'), say('four'), say('five'), finish);

    const ending = await play(stage(), text, { script });
    expect(ending.status).toBe('terminated');
    expect([count(ending, 'B:controller'), count(ending, 'B:executor/say')]).toEqual([5, 4]);

    const { description } = await resume(stage(), ending.run);
    expect(description?.status).toBe('completed');
    expect(description?.output?.metadata).toMatchObject({ status: 'finished' });
    expect(description?.output?.content).toMatchObject([{ data: { result: 'all said', rounds: 6 } }]);
    expect(await ending.written('memory/logs.txt')).toHaveLength(5);
  });
});

onBothStores('bosses', (stage) => {
  it('are three deep: the goal goes down, each has a plan, and only results and summaries come up', async () => {
    const planner = (name: string) =>
      `planner: { type: agent, config: { provider: scripted, name: plans, role: 'Plan ${name} for {{goal}}' } },`;
    const low = within('low', saying, planner('low'));
    const mid = within('mid', `work: ${low}`, planner('mid'));
    const script = {
      rules: [
        ...['mid', 'low'].map((name) => ({
          when: { model: 'plans', system_contains: `Plan ${name} for part` },
          reply: `PLAN OF ${name}`,
        })),
        { when: { model: 'low', system_contains: 'PLAN<PLAN OF low> LOGS<>' }, reply: call('say', { words: 'deep' }) },
        { when: { model: 'low', last_contains: 'deep' }, reply: call('finish', { summary: 'low is done' }) },
        { when: { model: 'mid', system_contains: 'PLAN<PLAN OF mid> LOGS<>' }, reply: call('work', { goal: 'part 2' }) },
        { when: { model: 'mid', last_contains: 'low is done' }, reply: call('finish', { summary: 'mid is done' }) },
        { when: { model: 'outer', last_contains: 'mid is done' }, reply: call('finish', { summary: 'all done' }) },
        { when: { model: 'outer' }, reply: call('work', { goal: 'part 1' }) },
      ],
    };

    const ending = await play(stage(), bossOf({ controller, executor: `{ branches: { work: ${mid} } }` }), { script });

    expect(ending).toMatchObject({ status: 'completed', text: 'all done', data: { rounds: 2 } });
    expect(await ending.prompts('B/executor/work')).toEqual(['part 1', 'low is done']);
    expect(await ending.prompts('B/executor/work/executor/work')).toEqual(['part 2', 'deep']);
    expect(await ending.written('memory/logs.txt')).toEqual(['mid: mid is done']);
    expect(await ending.written('memory/mid_logs.txt')).toEqual(['low: low is done']);
    expect(await ending.written('memory/low_logs.txt')).toEqual(['say: deep']);
    expect(await ending.written('memory/mid.txt')).toEqual(['PLAN OF mid']);
    expect(await ending.written('memory/low.txt')).toEqual(['PLAN OF low']);
  });

  it('of two runs at once keep their files apart', async () => {
    const [one, other] = await Promise.all([
      play(stage(), bossOf({}), { script: choosing(say('one'), finish) }),
      play(stage(), bossOf({}), { script: choosing(say('two'), say('three'), finish) }),
    ]);

    expect(await one.written('memory/logs.txt')).toEqual(['say: one']);
    expect(await other.written('memory/logs.txt')).toEqual(['say: two', 'say: three']);
  });

  it('are shown the newest whole entries of long logs, and how many there are beside', async () => {
    const memory_files =
      '{ plan: memory/plan.txt, logs: { path: memory/logs.txt, mode: append, view: tail, max_chars: 60 } }';
    const words = Array.from({ length: 12 }, (_, at) => `word number ${at + 1}`);
    const rules = [
      { when: { system_contains: 'say: word number 12>' }, replies: [{ text: '{system}', tool_calls: [] }] },
    ];
    void rules;
    const ending = await play(stage(), bossOf({ memory_files }), {
      script: choosing(...words.map(say), finish),
    });
    expect(ending.status).toBe('completed');
  });
});
