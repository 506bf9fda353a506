import type { RunId } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { openReplayStage, resultOf } from '../../support/runs/replay-stage.ts';

const replays = openBeforeAll(openReplayStage);
beforeEach(() => replays.reset());

describe('a replay is refused', () => {
  it('for a run that its budget stopped, except with a live part and its own budget', async () => {
    const yaml = `graph: {id: g, budget: {tokens: 180}, nodes: [${replays.agent('A')}, ${replays.agent('B')}], edges: [{from: A, to: B}]}`;
    const first = await replays.run(yaml);
    expect([first.stop?.code, replays.asked()]).toEqual(['budget', 1]);
    await expect(replays.runs.replay(first.run)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    const live = await replays.idle(await replays.runs.replay(first.run, { liveFrom: 'a2' }));
    expect([live.status, replays.asked()]).toEqual(['completed', 2]);
    const fork = await replays.idle(await replays.runs.fork(first.run, { at: 'a2' }));
    expect(fork).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
  });

  it('like a fork at an activation that a termination has dropped', async () => {
    const first = await replays.run(`
graph:
  id: g
  start: [S]
  end: [Z]
  scopes: [{id: team, nodes: [A, H], termination: {type: text_mention, config: {text: STOP}}}]
  nodes: [{id: S, type: passthrough, config: {}}, {id: A, type: literal, config: {content: STOP}}, {id: H, type: human, config: {}}, {id: Z, type: passthrough, config: {}}]
  edges: [{from: S, to: H}, {from: S, to: A}, {from: A, to: Z}]
`);
    const journal = await journalOf(replays.stage.runtime.store, first.run);
    const [at] = journal.flatMap(({ event }) => (event.type === 'activation.dropped' ? [event.activation] : []));
    const forking = replays.runs.fork(first.run, { at: at ?? 'a0' });
    await expect(forking).rejects.toThrow(`cannot be forked at activation ${at}: a termination dropped it`);
    await replays.expectSame(first);
  });

  it('for a cancelled run, which can be forked', async () => {
    const yaml = `graph: {id: g, nodes: [{id: H, type: human, config: {}}, {id: E, type: passthrough, config: {}}], edges: [{from: H, to: E}]}`;
    const id = await replays.start(yaml);
    await replays.idle(id);
    await replays.runs.cancel(id, 'enough');
    await expect(replays.runs.replay(id)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    const asking = await replays.runs.fork(id, { at: 'a1' });
    expect((await replays.idle(asking)).tasks).toHaveLength(1);
    const fork = await replays.runs.fork(id, { at: 'a1', output: textMessage('user', 'said', '') });
    expect(resultOf(await replays.idle(fork))).toMatchObject({ status: 'completed', output: 'said' });
  });
});

describe('an activation that asks twice', () => {
  const ask = (instruction: string, id: string) => ({
    tool_calls: [{ id, name: 'call_user', arguments: { instruction } }],
  });
  const params = JSON.stringify({ rules: [{ replies: [ask('First?', 'c1'), ask('Second?', 'c2'), 'Done.'] }] });
  const yaml = `graph:
  id: twice
  start: [A]
  end: [E]
  nodes:
    - {id: A, type: agent, config: {provider: scripted, name: m, params: ${params}, tooling: [{type: function, config: {tools: [{name: call_user}]}}]}}
    - {id: E, type: passthrough, config: {}}
  edges: [{from: A, to: E}]
`;
  const answered = async (run: RunId, text: string) => {
    await replays.runs.answer(run, undefined, { message: textMessage('user', text, 'person') });
    return replays.idle(run);
  };
  const questionsIn = async (run: RunId) => {
    const events = (await journalOf(replays.stage.runtime.store, run)).map(({ event }) => event);
    return events.filter(({ type }) => type === 'activation.suspended').length;
  };

  it('is not asked again in a replay, which has both answers, nor in a replay of that', async () => {
    const run = await replays.start(yaml);
    await replays.idle(run);
    await answered(run, 'one');
    const first = await answered(run, 'two');
    const replay = await replays.idle(await replays.runs.replay(run));

    expect(resultOf(replay)).toEqual(resultOf(first));
    expect([await questionsIn(run), await questionsIn(replay.run)]).toEqual([2, 0]);
    await replays.expectSame(first);
  });

  it('asks both questions again in a fork at it, whose replay has the other answers', async () => {
    const rules = [
      { when: { last_role: 'user' }, reply: ask('First?', 'c1') },
      { when: { last_role: 'tool', last_contains: '1' }, reply: ask('Second?', 'c2') },
      { when: {}, reply: 'Done: {last}' },
    ];
    const run = await replays.start(yaml.replace(params, JSON.stringify({ rules })));
    await replays.idle(run);
    await answered(run, 'one 1');
    await answered(run, 'two');
    const fork = await replays.runs.fork(run, { at: 'a1' });
    expect((await replays.idle(fork)).tasks).toMatchObject([{ wait: { prompt: 'First?' } }]);
    expect((await answered(fork, 'other 1')).tasks).toMatchObject([{ wait: { prompt: 'Second?' } }]);
    const last = await answered(fork, 'last');

    expect(resultOf(last)).toMatchObject({ status: 'completed', output: expect.stringContaining('last') });
    await replays.expectSame(last);
  });
});

describe('at every point of a run', () => {
  const map = () => `
graph:
  id: map
  start: [Source]
  end: [Join]
  nodes: [{id: Source, type: passthrough, config: {}}, ${replays.agent('Each')}, {id: Join, type: passthrough, config: {only_last_message: false}}]
  edges: [{from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 1}}}, {from: Each, to: Join}]
`;

  it('a replay goes live in the middle of a map, and pays only for the rest', async () => {
    const first = await replays.run(map(), 'a\nb\nc\nd');
    expect(replays.asked()).toBe(4);
    const units = (await journalOf(replays.stage.runtime.store, first.run)).flatMap(({ event }) =>
      event.type === 'activation.ready' && event.unit === 2 ? [event.activation] : [],
    );
    const live = await replays.idle(await replays.runs.replay(first.run, { liveFrom: units[0] ?? 'a0' }));
    expect([live.status, live.usage.calls, replays.asked()]).toEqual(['completed', 2, 6]);
    expect(live.outputs['Each']).not.toEqual(first.outputs['Each']);
  });

  it.each(['subgraph', 'map-reduce', 'review-loop', 'voting', 'handoff'])(
    'a fork of the example %s is consistent, like its forks and replays',
    async (example) => {
      const first = await replays.runExample(example);
      for (const at of await replays.readyIn(first.run)) {
        const fork = await replays.idle(await replays.runs.fork(first.run, { at }));
        expect([at, await audit(replays.stage.runtime.store, fork.run, replays.stage.vocabulary)]).toEqual([at, []]);
        expect([at, fork.error]).toEqual([at, undefined]);
        if (fork.status !== 'waiting')
          expect([at, resultOf(await replays.idle(await replays.runs.replay(fork.run)))]).toEqual([at, resultOf(fork)]);
        const again = await replays.idle(await replays.runs.fork(fork.run, { at }));
        expect([at, again.status]).toEqual([at, fork.status]);
      }
    },
  );

  it('a fork of a boss has its memory files of that time, and the metadata of its messages', async () => {
    const first = await replays.runExample('boss');
    const journal = await journalOf(replays.stage.runtime.store, first.run);
    const done = journal.flatMap(({ event }) => (event.type === 'activation.completed' ? [event] : []));
    const last = done.at(-1)?.activation ?? 'a0';
    const fork = await replays.idle(await replays.runs.fork(first.run, { at: last }));
    expect(resultOf(fork)).toEqual(resultOf(first));
    const remembered = async (run: RunId) => {
      const names = new Set(done.flatMap((event) => Object.keys(event.remembered ?? {})));
      const read = [...names].map(
        async (name) => (await replays.stage.runtime.store.memory(`run:${run}:${name}`, '0', 100)).items,
      );
      return (await Promise.all(read)).map((items) => items.map(({ text }) => text));
    };
    expect(await remembered(fork.run)).toEqual(await remembered(first.run));
    expect((await remembered(first.run)).flat().length).toBeGreaterThan(0);
  });
});
