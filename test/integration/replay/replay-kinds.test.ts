import type { RunId } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { exampleNames } from '../../support/runs/examples.ts';
import { openReplayStage } from '../../support/runs/replay-stage.ts';

const replays = openBeforeAll(openReplayStage);
beforeEach(() => replays.reset());

describe('a replay has the same result', () => {
  const people: Readonly<Record<string, readonly string[]>> = {
    'context-reset': ['normal', 'kept', 'soft', 'hard'],
    'loop-timer-modes': ['first', 'second', 'STOP'],
    'timed-review-loop': ['Shorter', 'ACCEPT'],
  };
  it.each(exampleNames())('in the example %s', async (example) => {
    await replays.expectSame(await replays.runExample(example, people[example]));
  });

  it('where a call was refused and repeated', async () => {
    replays.reset((n) => (n === 1 ? 503 : undefined));
    const first = await replays.run(`graph: {id: g, nodes: [${replays.agent('A')}]}`);
    expect([replays.asked(), first.status]).toEqual([2, 'completed']);
    await replays.expectSame(first);
  });

  it.each(['fail', 'text', 'continue'])('where a node failed with on_error: %s', async (policy) => {
    replays.reset(() => 400);
    await replays.expectSame(
      await replays.run(
        `graph: {id: g, nodes: [${replays.agent('A', `on_error: ${policy},`)}, {id: B, type: passthrough, config: {}}], edges: [{from: A, to: B}]}`,
      ),
    );
  });

  const late = `config: {provider: scripted, name: m, params: {default: {text: late, delay_ms: 60000}}}`;
  it.each(['fail', 'text', 'continue'])('where a node took too long, with on_error: %s', async (policy) => {
    await replays.expectSame(
      await replays.run(`graph: {id: g, nodes: [{id: A, type: agent, timeout: 0.1, on_error: ${policy}, ${late}}]}`),
    );
  });

  it('where an edge caught a timeout of a node', async () => {
    await replays.expectSame(
      await replays.run(`
graph:
  id: g
  start: [A]
  end: [B, C]
  nodes: [{id: A, type: agent, timeout: 0.1, ${late}}, {id: B, type: passthrough, config: {}}, {id: C, type: passthrough, config: {}}]
  edges: [{from: A, to: B, condition: error}, {from: A, to: C}]
`),
    );
  });

  it('where a run failed and was retried', async () => {
    replays.reset((n) => (n === 2 ? 400 : undefined));
    const two = `graph: {id: g, nodes: [${replays.agent('A')}, ${replays.agent('B')}], edges: [{from: A, to: B}]}`;
    const failed = await replays.run(two);
    expect(failed.status).toBe('failed');
    await replays.expectSame(failed);
    await replays.runs.control(failed.run, 'retry');
    const first = await replays.idle(failed.run);
    expect(first.status).toBe('completed');
    await replays.expectSame(first);
  });

  it('where a run was stopped from outside and resumed', async () => {
    const yaml = `graph: {id: g, nodes: [${replays.agent('A')}, {id: H, type: human, config: {}}, ${replays.agent('B')}], edges: [{from: A, to: H}, {from: H, to: B}]}`;
    const id = await replays.start(yaml);
    expect((await replays.idle(id)).tasks).toHaveLength(1);
    await replays.runs.stop(id, { note: 'enough', inFlight: 'cancel' });
    await replays.idle(id);
    await expect(replays.runs.replay(id)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    await replays.runs.resume(id);
    await replays.runs.answer(id, undefined, { message: textMessage('user', 'continue', 'person') });
    await replays.expectSame(await replays.idle(id));
  });

  it('where a person was asked about the budget, and then by a node', async () => {
    const yaml = `
graph:
  id: g
  budget: {tokens: 60, on_exceeded: ask}
  start: [A]
  end: [H]
  nodes: [${replays.agent('A')}, ${replays.agent('B')}, {id: H, type: human, config: {}}]
  edges: [{from: A, to: B}, {from: B, to: H}]
`;
    const first = await replays.run(yaml, 'go', ({ node }) => (node === 'H' ? 'well done' : '5000 tokens'));
    expect([first.status, first.output && textOf(first.output), replays.asked()]).toEqual([
      'completed',
      'well done',
      2,
    ]);
    expect(
      (await journalOf(replays.stage.runtime.store, first.run)).filter(
        ({ event }) => event.type === 'activation.answered',
      ),
    ).toHaveLength(2);
    await replays.expectSame(first);
  });

  it('where programs wrote files, without running them again', async () => {
    const code = 'import random; open("mine.txt", "a").write("x"); print(open("mine.txt").read(), random.random())';
    const yaml = `
graph:
  id: g
  start: [Code]
  end: [Q]
  nodes:
    - {id: Code, type: literal, config: {content: ${JSON.stringify(code)}}}
    - {id: P, type: python, config: {}}
    - {id: Again, type: literal, config: {content: ${JSON.stringify(code)}}}
    - {id: Q, type: python, config: {}}
  edges: [{from: Code, to: P}, {from: P, to: Again}, {from: Again, to: Q}]
`;
    const first = await replays.run(yaml);
    expect(first.output && textOf(first.output)).toMatch(/^xx 0/);
    await replays.expectSame(first);
    const replay = await replays.idle(await replays.runs.replay(first.run));
    const contents = async (run: RunId) =>
      (await replays.runs.artifacts(run)).map(({ path, digest }) => ({ path, digest }));
    expect(await contents(replay.run)).toEqual(await contents(first.run));

    // The files of the past are there, whichever way it came: a fork of a fork, a fork of a replay, a replay of a fork.
    const fork = await replays.idle(await replays.runs.fork(first.run, { at: 'a4' }));
    const others = [
      fork,
      await replays.idle(await replays.runs.fork(fork.run, { at: 'a3' })),
      await replays.idle(await replays.runs.fork(replay.run, { at: 'a4' })),
    ];
    for (const { output, outputs } of others) {
      expect(output && textOf(output)).toMatch(/^xx 0/);
      expect(outputs['P']).toBe(first.outputs['P']);
    }
    await replays.expectSame(fork);
  });

  it('and writes nothing to memories that others read', async () => {
    const yaml = `
graph:
  id: remembering
  memory: [{name: notes, type: simple}]
  nodes: [${replays.agent('A', '', ', memories: [{name: notes, read: true, write: true, similarity_threshold: 0}]')}]
`;
    const memories = async () =>
      (await replays.stage.runtime.store.memory('graph:remembering:notes', '0', 100)).items.length;
    await replays.run(yaml, 'dragons');
    const first = await replays.run(yaml, 'castles');
    expect(await memories()).toBe(2);
    await replays.run(yaml, 'knights');
    await replays.expectSame(first);
    expect(await memories()).toBe(3);
  });
});
