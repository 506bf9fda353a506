import { textMessage, textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { audit } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const task = (text: string) => [textMessage('user', text, 'TASK')];
const pass = (id: string) => `{ id: ${id}, type: passthrough, config: {} }`;
const edge = (from: string, to: string, word?: string) =>
  `{ from: ${from}, to: ${to}${word === undefined ? '' : `, condition: { type: keyword, config: { any: [${word}] } }`} }`;
const graph = (body: string) => `graph:\n  id: g\n  start: A\n${body}\n`;
const line = graph(
  `  nodes: [${pass('A')}, ${pass('B')}, ${pass('C')}]\n  edges: [${edge('A', 'B')}, ${edge('B', 'C')}]`,
);

onBothStores('a completed run', (stage) => {
  const runs = () => stage.runtime.runs;
  const described = async (run: string) => {
    const found = await runs().describe(run);
    expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
    const { status, outputs, output, activations, stop } = found ?? {};
    return { status, outputs, output: output && textOf(output), activations, stop: stop?.text };
  };
  const begin = async (text: string, input: string) => {
    const { description } = await stage.run(text, input);
    return description.run;
  };
  const resume = async (run: string, input: string, to?: string) => {
    const { seen = '0' } = (await runs().describe(run)) ?? {};
    await runs().resume(run, input === '' ? [] : task(input), to === undefined ? {} : { to });
    await untilEnded(runs(), run, seen);
    return described(run);
  };

  it('continues with a further task at its start, any number of times', async () => {
    const run = await begin(line, 'one');
    for (const [at, word] of ['two', 'three'].entries()) {
      expect(await resume(run, word)).toMatchObject({ status: 'completed', output: word, activations: 6 + 3 * at });
    }
    expect(await resume(run, 'four', 'B')).toMatchObject({ status: 'completed', output: 'four', activations: 11 });
  });

  it('refuses every other resume', async () => {
    const run = await begin(line, 'one');

    await expect(runs().resume(run)).rejects.toMatchObject({ code: 'RESUME_INPUT_REQUIRED' });
    await expect(runs().control(run, 'retry')).rejects.toMatchObject({ code: 'RUN_NOT_FAILED' });
    const note = { note: 'enough', inFlight: 'drain' } as const;
    await expect(runs().stop(run, note)).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await expect(runs().signal(run, { name: 'external' })).rejects.toMatchObject({ code: 'RUN_ENDED' });
    // Neither is remembered.
    expect(await resume(run, 'two')).toMatchObject({ status: 'completed', output: 'two' });
  });

  it('has no result of the previous task', async () => {
    const fork = graph(`  end: [X, Y, Z]
  nodes: [${['A', 'X', 'Y', 'Z'].map(pass).join(', ')}]
  edges: [${edge('A', 'X', 'x')}, ${edge('A', 'Y', 'y')}, ${edge('A', 'Z', 'z')}]`);
    const run = await begin(fork, 'x');

    expect(await resume(run, 'y')).toMatchObject({ output: 'y', outputs: { A: 'y', Y: 'y' } });
    expect(await resume(run, 'none')).toMatchObject({ status: 'completed', output: undefined, outputs: { A: 'none' } });
  });

  it('votes again', async () => {
    const vote = `graph:\n  id: g\n  is_majority_voting: true\n  nodes: [${pass('A')}, ${pass('B')}]\n`;
    const run = await begin(vote, 'one');

    expect(await resume(run, 'two')).toMatchObject({ status: 'completed', output: 'two', activations: 6 });
  });

  it('is stopped by reset conditions, with the task as the first message', async () => {
    const say = (id: string) => `{ id: ${id}, type: literal, config: { content: ${id} } }`;
    const counted = (max: number) =>
      `${graph(`  end: B
  termination: { any_of: [{ type: max_messages, config: { max_messages: ${max} } }, { type: text_mention, config: { text: STOP } }] }
  scopes:
    - { id: talk, nodes: [A, B], termination: { type: max_turns, config: { max_turns: 3, sources: [A, B] } } }
  nodes: [${say('A')}, ${say('B')}]
  edges: [${edge('A', 'B')}]`)}`;
    const run = await begin(counted(4), 'one');

    expect(await resume(run, 'two')).toMatchObject({ status: 'completed', activations: 4 });
    expect(await resume(run, 'say STOP')).toMatchObject({ status: 'terminated', stop: "text_mention: 'STOP' by user" });
    expect(await resume(run, '')).toMatchObject({ status: 'completed' });
  });

  it('is not replayed beyond its first task, and can be forked at every point', async () => {
    const run = await begin(line, 'one');
    await resume(run, 'two');

    await expect(runs().replay(run)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    await expect(runs().replay(run, { liveFrom: 'a5' })).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    for (const [at, output] of [
      ['a2', 'one'],
      ['a5', 'two'],
    ] as const) {
      const fork = await runs().fork(run, { at });
      await untilEnded(runs(), fork);
      expect(await described(fork)).toMatchObject({ status: 'completed', output });
    }
    const live = await runs().replay(run, { liveFrom: 'a2' });
    await untilEnded(runs(), live);
    expect(await described(live)).toMatchObject({ status: 'completed', output: 'one' });
  });
});
