import { expect, it } from 'vitest';
import type { BossResult } from '../../support/runs/bosses.ts';
import { bossOf, choosing, play } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const finish = ['finish', { summary: 'all said' }] as const;
const say = (words: string) => ['say', { words }] as const;
const call = (name: string, args: unknown) => ({ text: '{last_user}', tool_calls: [{ name, arguments: args }] });
const count = ({ done }: BossResult, node: string) => done.filter(([name]) => name === node).length;

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
  for await (const { event } of entriesOf(runs, run, seen)) events.push(event.type);
  return { description: await runs.describe(run), events };
}

onBothStores('a boss that is stopped', (stage) => {
  it('by its own termination is unfinished, with the result of its latest round and the reason', async () => {
    const termination = '{ type: max_turns, config: { max_turns: 3, sources: [controller] } }';
    const script = choosing(say('one'), say('two'), say('three'), finish);

    const ending = await play(stage, bossOf({ termination }), { script });

    expect(ending).toMatchObject({ status: 'completed', text: 'two' });
    expect(ending.data).toEqual({
      result: 'two',
      summary: 'B: stopped after 2 rounds (max_turns: 3 of 3)',
      status: 'unfinished',
      rounds: 2,
      stop_reason: 'max_turns: 3 of 3',
    });
    const output = (await stage.runtime.runs.describe(ending.run))?.output;
    expect(output?.metadata).toMatchObject({ status: 'unfinished', stop_reason: 'max_turns: 3 of 3' });
    expect(await ending.written('memory/logs.txt')).toEqual(['say: one', 'say: two']);
  });

  it('before it has a result gives the reason in place of one', async () => {
    const termination = '{ type: token_usage, config: { max_total: 1 } }';

    const ending = await play(stage, bossOf({ termination }), { script: choosing(say('one'), finish) });

    expect(ending.data).toMatchObject({
      status: 'unfinished',
      rounds: 0,
      summary: expect.stringMatching(/^B: stopped after 0 rounds \(/),
    });
    expect(ending.text).toBe(ending.data['stop_reason']);
    expect(ending.text).toMatch(/^token_usage: total/);
    expect(count(ending, 'B:executor/say')).toBe(0);
  });

  it('counts messages, not what its memory files forward', async () => {
    const termination = '{ type: max_messages, config: { max_messages: 4 } }';

    const ending = await play(stage, bossOf({ termination }), { script: choosing(say('one'), say('two'), finish) });

    expect([count(ending, 'B:controller'), count(ending, 'B:executor/say')]).toEqual([2, 2]);
  });

  it('below another one leaves that a further round, and counts its tokens there', async () => {
    const work = within('inner', saying, 'termination: [{ type: token_usage, config: { max_total: 1 } }],');
    const script = {
      rules: [
        { when: { model: 'inner' }, reply: call('say', { words: 'x' }) },
        { when: { model: 'outer', system_contains: 'LOGS<inner: stopped' }, reply: call('finish', { summary: 'ok' }) },
        { when: { model: 'outer' }, reply: call('work', { goal: 'g' }) },
      ],
    };

    const ending = await play(stage, bossOf({ controller, executor: `{ branches: { work: ${work} } }` }), { script });

    expect(ending).toMatchObject({ status: 'completed', text: 'ok', data: { status: 'finished', rounds: 2 } });
    expect((await ending.written('memory/logs.txt'))[0]).toMatch(/^inner: stopped after 0 rounds \(token_usage: /);
  });

  it('by a person returns to the one above, whatever it was waiting for', async () => {
    const work = within('inner', 'ask: { builtin: ask_user }', '');
    const script = {
      rules: [
        { when: { model: 'inner' }, reply: call('ask', { question: 'Well?' }) },
        { when: { model: 'outer', system_contains: 'LOGS<inner: stopped' }, reply: call('finish', { summary: 'ok' }) },
        { when: { model: 'outer' }, reply: call('work', { goal: 'g' }) },
      ],
    };
    const text = bossOf({ controller, executor: `{ branches: { work: ${work} } }` });
    const { runs } = stage.runtime;
    const run = await runs.start({ workflow: { ...workflowIn(text, stage.vocabulary), script }, input: 'the goal' });
    for await (const { event } of entriesOf(runs, run))
      if (event.type === 'activation.suspended')
        await runs.stop(run, { note: 'no', inFlight: 'drain', scope: 'inner' });

    const { status, output, tasks } = (await runs.describe(run)) ?? {};
    expect({ status, tasks }).toEqual({ status: 'completed', tasks: [] });
    expect(output?.content).toMatchObject([{ data: { result: 'ok', rounds: 2 } }]);
  });

  it('with the graph around it continues in the same round', async () => {
    const text = bossOf({}).replace(
      'id: bosses',
      `id: bosses
  termination: { type: max_messages, config: { max_messages: 5, sources: [B/controller], include_nested: true } }`,
    );
    const script = choosing(say('one'), say('two'), say('three'), say('four'), say('five'), finish);

    const ending = await play(stage, text, { script });
    expect(ending.status).toBe('terminated');
    expect([count(ending, 'B:controller'), count(ending, 'B:executor/say')]).toEqual([5, 4]);

    const { description } = await resume(stage, ending.run);
    expect(description?.status).toBe('completed');
    expect(description?.output?.metadata).toMatchObject({ status: 'finished' });
    expect(description?.output?.content).toMatchObject([{ data: { result: 'all said', rounds: 6 } }]);
    expect(await ending.written('memory/logs.txt')).toHaveLength(5);
  });
});
