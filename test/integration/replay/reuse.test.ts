import type { JournalEntry, RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import type { ReplayRequest, RunDescription } from '@millrace/runtime';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { madeIn, openReplayStage, resultOf } from '../../support/runs/replay-stage.ts';
import { driveRun, workflowOf } from '../../support/runs/scenario.ts';
import { scenarios } from '../../support/runs/scenarios.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const replays = openBeforeAll(openReplayStage);
beforeEach(() => replays.reset());

const agent = (id: string, role: string, more = '') => replays.agent(id, '', `, role: ${JSON.stringify(role)}${more}`);

/** Replays a run under another workflow, which is read from this text, and waits for its end. */
async function replayUnder(first: RunDescription, yaml: string, request: ReplayRequest = {}) {
  const before = replays.asked();
  const plan = { workflow: workflowIn(yaml, replays.stage.vocabulary) };
  const replay = await replays.idle(await replays.runs.replay(first.run, { mode: 'reuse', plan, ...request }));
  const journal = await journalIn(replay.run);
  expect(await audit(replays.stage.runtime.store, replay.run, replays.stage.vocabulary)).toEqual([]);
  return {
    replay,
    journal,
    asked: replays.asked() - before,
    made: madeIn(journal).map((step) => step.replace(/^a\d+\.\d+ /, '')),
  };
}

const journalIn = (run: RunId): Promise<readonly JournalEntry[]> => journalOf(replays.stage.runtime.store, run);

const outputOf = ({ output }: RunDescription) => output && textOf(output);

const chain = (...nodes: readonly string[]) => {
  const ids = nodes.map((node) => /id: (\w+)/.exec(node)?.[1]);
  const edges = ids.slice(1).map((id, at) => `{from: ${ids[at]}, to: ${id}}`);
  return `graph: {id: g, start: [${ids[0]}], end: [${ids.at(-1)}], nodes: [${nodes.join(', ')}], edges: [${edges.join(', ')}]}`;
};

describe('under the same plan', () => {
  it.each(scenarios)('makes no step of $name, and has the same result', async (scenario) => {
    const { runs, vocabulary } = { ...replays.stage.runtime, ...replays.stage };
    const run = await runs.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input });
    const first = await driveRun(runs, run, scenario);

    const reuse = await replays.idle(await runs.replay(run, { mode: 'reuse' }));

    expect(resultOf(reuse)).toEqual(resultOf(first));
    expect(madeIn(await journalIn(reuse.run))).toEqual([]);
    expect([reuse.usage.calls, reuse.recorded ?? first.usage]).toEqual([0, first.usage]);
  });
});

describe('under another workflow', () => {
  it('makes exactly the calls that a changed prompt reaches', async () => {
    const graph = fc.integer({ min: 2, max: 6 }).chain((size) =>
      fc.record({
        size: fc.constant(size),
        edges: fc.uniqueArray(
          fc.tuple(fc.nat(size - 1), fc.nat(size - 1)).filter(([from, to]) => from < to),
          { maxLength: 10, selector: String },
        ),
        changed: fc.nat(size - 1),
      }),
    );
    await fc.assert(
      fc.asyncProperty(graph, async ({ size, edges, changed }) => {
        const ids = Array.from({ length: size }, (_, at) => at);
        const text = (role: (node: number) => string) => `
graph:
  id: random
  start: [${ids.filter((id) => edges.every(([, to]) => to !== id)).map((id) => `N${id}`)}]
  end: [N${size - 1}]
  nodes: [${ids.map((id) => agent(`N${id}`, role(id))).join(', ')}]
  edges: [${edges.map(([from, to]) => `{from: N${from}, to: N${to}}`).join(', ')}]
`;
        const reached = new Set([changed]);
        for (const [from, to] of [...edges].sort(([one], [other]) => one - other))
          if (reached.has(from)) reached.add(to);
        const first = await replays.run(text((id) => `role ${id}`));

        const { replay, made, asked } = await replayUnder(
          first,
          text((id) => (id === changed ? 'changed' : `role ${id}`)),
        );

        expect([replay.status, made.length, asked]).toEqual(['completed', reached.size, reached.size]);
        expect([replay.usage.calls, replay.recorded?.calls ?? 0]).toEqual([reached.size, size - reached.size]);
      }),
      { numRuns: 12 },
    );
  });

  it('makes nothing because of a node that is added first, and asks nobody', async () => {
    const nodes = [agent('A', 'one'), '{id: H, type: human, config: {}}', agent('B', 'two')];
    const first = await replays.run(chain(...nodes), 'go', () => 'fine');

    const { replay, made, asked } = await replayUnder(
      first,
      chain('{id: New, type: passthrough, config: {}}', ...nodes),
    );

    expect([made, asked, outputOf(replay)]).toEqual([[], 0, outputOf(first)]);
  });

  it('finds the reply for a node of another name, and takes each reply once', async () => {
    const first = await replays.run(chain(agent('A', 'one')));
    const both = `graph: {id: g, start: [X, Y], end: [X], nodes: [${agent('X', 'one')}, ${agent('Y', 'one')}]}`;

    const { replay, journal, made, asked } = await replayUnder(first, both);

    expect([made.length, asked, replay.recorded?.calls]).toEqual([1, 1, 1]);
    const moved = journal.flatMap(({ event }) => (event.type === 'step.completed' ? [event.recorded?.from] : []));
    expect(moved).toContainEqual({ activation: 'a1', step: 0 });
  });

  it('does not ask a person who was asked the same, and does not give an answer to another question', async () => {
    const text = (role: string, prompt: string) =>
      chain(agent('A', 'one'), `{id: H, type: human, config: {description: ${prompt}}}`, agent('B', role));
    const first = await replays.run(text('two', 'Good?'), 'go', () => 'yes');

    expect((await replayUnder(first, text('changed', 'Good?'))).made).toEqual(['chat m']);
    const { replay } = await replayUnder(first, text('two', 'Bad?'));
    expect(replay.error).toMatchObject({ code: 'REPLAY_DIVERGED', message: expect.stringContaining('"Bad?"') });
  });

  it('executes programs in the files of the replay once a step was made, and not before', async () => {
    const text = (role: string) =>
      chain(
        '{id: Code, type: literal, config: {content: "import random; print(random.random())"}}',
        '{id: P, type: python, config: {}}',
        agent('A', role),
        '{id: Again, type: literal, config: {content: "import random; print(random.random())"}}',
        '{id: Q, type: python, config: {}}',
      );
    const first = await replays.run(text('one'));

    expect((await replayUnder(first, text('one'))).made).toEqual([]);
    const { replay, made } = await replayUnder(first, text('changed'));
    expect(made).toEqual(['chat m', 'run Q.py']);
    expect(replay.outputs['P']).toBe(first.outputs['P']);
    expect(replay.outputs['Q']).not.toBe(first.outputs['Q']);
  });

  it('reads lasting memories although it is temporary, and writes none', async () => {
    const text = (limit: number) => {
      const memory = `, memories: [{name: notes, read: true, write: true, similarity_threshold: 0, top_k: ${limit}}]`;
      return `graph: {id: kept, memory: [{name: notes, type: simple}], nodes: [${agent('A', 'one', memory)}]}`;
    };
    const memories = async () => (await replays.stage.runtime.store.memory('graph:kept:notes', '0', 100)).items.length;
    const first = await replays.run(text(1), 'dragons');
    await replays.run(text(1), 'castles');

    const { replay, journal, made } = await replayUnder(first, text(5), { ttlMs: 60_000 });

    expect([replay.status, made, await memories()]).toEqual(['completed', ['recall gen', 'chat m', 'remember'], 2]);
    const [recalled] = journal.flatMap(({ event }) => (event.type === 'step.completed' ? [event.result] : []));
    const [found] = recalled === undefined ? [] : await replays.runs.bodies(replay.run, [recalled]);
    expect(JSON.stringify(found)).toContain('castles');
    expect((await replays.runs.list({ limit: 100 })).runs.map(({ run }) => run)).not.toContain(replay.run);
  });

  it('replaces a call of a tool by the recorded one, and makes no other', async () => {
    const tools = (words: string) => `
graph:
  id: tools
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        role: ${words}
        tooling: [{type: function, config: {tools: [{name: get_current_time}]}}]
        params: {rules: [{when: {system_contains: other}, replies: [{tool_calls: [{name: get_current_time, arguments: {timezone: Europe/Rome}}]}, done]}, {replies: [{tool_calls: [{name: get_current_time, arguments: {}}]}, done]}]}
`;
    const first = await replays.run(tools('one'));
    expect(first.status).toBe('completed');

    const same = await replayUnder(first, tools('changed'));
    expect([same.replay.status, same.made]).toEqual(['completed', ['chat m', 'chat m']]);
    const { replay } = await replayUnder(first, tools('other'));
    expect(replay.error?.code).toBe('REPLAY_TOOL_UNKNOWN');
  });

  it('takes the limits of its own budget, which recorded calls do not count for', async () => {
    const first = await replays.run(chain(agent('A', 'one'), agent('B', 'two')));
    const { replay } = await replayUnder(first, chain(agent('A', 'one'), agent('B', 'changed')), {
      budget: { tokens: 10_000 },
    });
    expect(replay.budget).toMatchObject({ limit: { tokens: 10_000 }, spent: { tokens: 20 } });
    expect([replay.recorded, replay.usage]).toMatchObject([{ calls: 1 }, { calls: 1 }]);
  });
});

describe('the other modes', () => {
  const two = (role: string) => chain(agent('A', 'one'), agent('B', role));

  it('position takes results of their places, whatever is asked', async () => {
    const first = await replays.run(two('two'));
    const { replay, made, asked } = await replayUnder(first, two('changed'), { mode: 'position' });
    expect([made, asked, outputOf(replay)]).toEqual([[], 0, outputOf(first)]);
  });

  it('strict fails where a call asks something else', async () => {
    const first = await replays.run(two('two'));
    const { replay } = await replayUnder(first, two('changed'), { mode: 'strict' });
    expect(replay.error).toMatchObject({ code: 'REPLAY_DIVERGED', node: 'B' });
  });

  it.each(['strict', 'position'] as const)('%s allows for nodes that make no step, and for no others', async (mode) => {
    const first = await replays.run(two('two'));
    const added = (node: string) => chain(agent('A', 'one'), agent('B', 'two'), node);
    const quiet = await replayUnder(first, added('{id: C, type: passthrough, config: {}}'), { mode });
    expect([quiet.replay.status, quiet.made]).toEqual(['completed', []]);
    const asking = await replayUnder(first, added(agent('C', 'three')), { mode });
    expect(asking.replay.error).toMatchObject({ code: 'REPLAY_DIVERGED', node: 'C' });
    const person = await replayUnder(first, added('{id: C, type: human, config: {}}'), { mode });
    expect(person.replay.error).toMatchObject({ code: 'REPLAY_DIVERGED', node: 'C' });
  });

  it('makes one run of two requests that are the same, and no run of a request that differs in its mode or plan', async () => {
    const first = await replays.run(two('two'));
    const plan = { workflow: workflowIn(two('changed'), replays.stage.vocabulary) };
    const as = `run_${first.run.slice(-8)}`;
    const start = (request: ReplayRequest) => replays.runs.replay(first.run, { as, ...request });

    expect(await start({ mode: 'reuse', plan })).toBe(as);
    expect(await start({ mode: 'reuse', plan })).toBe(as);
    await expect(start({ mode: 'position', plan })).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    await expect(start({ mode: 'reuse' })).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    await replays.idle(as);
  });

  it('refuses a fork under another workflow, and a live part beside a mode', async () => {
    const first = await replays.run(two('two'));
    const plan = { workflow: workflowIn(two('changed'), replays.stage.vocabulary) };
    const fork = await replays.idle(await replays.runs.fork(first.run, { at: 'a2', plan }));
    const refused = { code: 'REPLAY_IMPOSSIBLE' };
    await expect(replays.runs.replay(fork.run, { mode: 'reuse' })).rejects.toMatchObject(refused);
    await expect(replays.runs.replay(first.run, { mode: 'reuse', liveFrom: 'a2' })).rejects.toMatchObject(refused);
    await expect(replays.runs.replay(first.run, { plan, liveFrom: 'a2' })).rejects.toMatchObject(refused);
  });
});
