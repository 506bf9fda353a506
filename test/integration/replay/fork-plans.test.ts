import type { Workflow } from '@millrace/core';
import { textMessage } from '@millrace/core';
import type { ForkRequest } from '@millrace/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { readExample } from '../../support/runs/examples.ts';
import { openReplayStage, resultOf } from '../../support/runs/replay-stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const replays = openBeforeAll(openReplayStage);
beforeEach(() => replays.reset());

const chain = (role: string, more = '') =>
  `graph: {id: chain, nodes: [${replays.agent('A')}, ${replays.agent('B', more, `, role: ${role}`)}, {id: Z, type: passthrough, config: {}}], edges: [{from: A, to: B}, {from: B, to: Z}]}`;
const planOf = (yaml: string): NonNullable<ForkRequest['plan']> => ({
  workflow: workflowIn(yaml, replays.stage.vocabulary),
  definition: { yaml },
});
const soundnessOf = async (run: `run_${string}` | string) =>
  audit(replays.stage.runtime.store, run as never, replays.stage.vocabulary);

describe('a fork under another plan', () => {
  it('keeps paid calls, calls the changed node and its successors, and is pinned to the plan and its text', async () => {
    const first = await replays.run(chain('Old'));
    expect(replays.asked()).toBe(2);

    const fork = await replays.idle(await replays.runs.fork(first.run, { at: 'a2', plan: planOf(chain('New')) }));

    expect([fork.status, replays.asked(), fork.usage.calls]).toEqual(['completed', 3, 3]);
    expect(fork.plan).not.toBe(first.plan);
    expect(fork.version).toMatch(/^[0-9a-f]{32}$/);
    expect(fork.outputs['A']).toBe(first.outputs['A']);
    expect(fork.outputs['B']).not.toBe(first.outputs['B']);
    expect(await soundnessOf(fork.run)).toEqual([]);
    const journal = await journalOf(replays.stage.runtime.store, fork.run);
    const forked = journal.find(({ event }) => event.type === 'run.forked')?.event;
    expect(forked).toMatchObject({ of: first.run, activation: 'a2', plan: fork.plan });
  });

  it('is forked again under a third plan, and replayed without a call', async () => {
    const first = await replays.run(chain('Old'));
    const second = await replays.idle(await replays.runs.fork(first.run, { at: 'a2', plan: planOf(chain('New')) }));
    const third = await replays.idle(await replays.runs.fork(second.run, { at: 'a2', plan: planOf(chain('Newer')) }));
    const plain = await replays.idle(
      await replays.runs.fork(third.run, { at: 'a3', output: textMessage('assistant', 'Z', '') }),
    );
    expect([second.status, third.status, resultOf(plain)]).toMatchObject(['completed', 'completed', { output: 'Z' }]);
    const asked = replays.asked();

    for (const run of [second, third]) {
      const replay = await replays.idle(await replays.runs.replay(run.run));
      const again = await replays.idle(await replays.runs.replay(replay.run));
      expect([run.run, resultOf(replay), resultOf(again)]).toEqual([run.run, resultOf(run), resultOf(run)]);
      expect(await soundnessOf(replay.run)).toEqual([]);
      expect(replay.origin).toEqual({ type: 'replay', of: run.run });
    }

    const replay = await replays.idle(await replays.runs.replay(plain.run));
    expect([resultOf(replay), replays.asked()]).toEqual([resultOf(plain), asked]);
  });

  it('is replayed up to an activation after the fork, and not up to one before it', async () => {
    const first = await replays.run(chain('Old'));
    const fork = await replays.idle(await replays.runs.fork(first.run, { at: 'a2', plan: planOf(chain('New')) }));
    const asked = replays.asked();

    const live = await replays.idle(await replays.runs.replay(fork.run, { liveFrom: 'a2' }));

    expect([live.status, replays.asked() - asked]).toEqual(['completed', 1]);
    await expect(replays.runs.replay(fork.run, { liveFrom: 'a1' })).rejects.toMatchObject({
      code: 'REPLAY_IMPOSSIBLE',
    });
  });

  it.each([
    ['another node', (yaml: string) => yaml.replaceAll('id: Z,', 'id: Y,').replace('to: Z', 'to: Y'), '"Z"'],
    [
      'another type',
      (yaml: string) => yaml.replace('type: passthrough, config: {}', 'type: human, config: {}'),
      'human',
    ],
    [
      'another edge',
      (yaml: string) => yaml.replace('{from: A, to: B}, {from: B, to: Z}', '{from: B, to: Z}, {from: A, to: B}'),
      'edge 1',
    ],
    ['one edge more', (yaml: string) => yaml.replace('{from: B, to: Z}', '{from: B, to: Z}, {from: A, to: Z}'), 'edge'],
    [
      'a termination',
      (yaml: string) =>
        yaml.replace('id: chain,', 'id: chain, termination: {type: max_turns, config: {max_turns: 9}},'),
      'termination',
    ],
  ])('is refused for %s with the difference', async (_what, changed, word) => {
    const first = await replays.run(chain('Old'));
    const other = changed(chain('Old'));

    const forking = replays.runs.fork(first.run, { at: 'a2', plan: planOf(other) });

    await expect(forking).rejects.toMatchObject({ code: 'FORK_PLAN_DIFFERS', message: expect.stringContaining(word) });
  });

  it.each(['subgraph', 'map-reduce', 'review-loop', 'voting', 'handoff'])(
    'is sound at every activation of the example %s, whatever is configured otherwise, and so is its replay',
    async (example) => {
      const first = await replays.runExample(example);
      const { workflow } = readExample(example, replays.stage.vocabulary);
      const script = workflow.script ?? { default: 'A draft.' };
      const plan = { workflow: configuredOtherwise({ ...workflow, script }) };
      for (const at of await replays.readyIn(first.run)) {
        const fork = await replays.idle(await replays.runs.fork(first.run, { at, plan }));
        expect([at, await soundnessOf(fork.run)]).toEqual([at, []]);
        expect([at, fork.error]).toEqual([at, undefined]);
        if (fork.status === 'waiting') continue;
        const replay = await replays.idle(await replays.runs.replay(fork.run));
        expect([at, resultOf(replay), await soundnessOf(replay.run)]).toEqual([at, resultOf(fork), []]);
      }
    },
  );
});

/** Returns a workflow with other context windows and prompts at all of its nodes. */
function configuredOtherwise(workflow: Workflow): Workflow {
  const other = (graph: Workflow['graph']): Workflow['graph'] => ({
    ...graph,
    nodes: graph.nodes.map((node) => ({
      ...node,
      contextWindow: node.contextWindow === 0 ? 3 : 0,
      ...(node.type === 'agent' ? { config: { ...(node.config as object), role: 'Otherwise.' } } : {}),
      ...(node.graph === undefined ? {} : { graph: other(node.graph) }),
    })),
  });
  return { ...workflow, graph: other(workflow.graph) };
}

describe('a fork with another input', () => {
  it('replaces the input of the activation, and is replayed without a call', async () => {
    const first = await replays.run(chain('Old'));

    const fork = await replays.idle(await replays.runs.fork(first.run, { at: 'a2', input: 'Something else' }));

    expect(fork.outputs['B']).toMatch(/to Something else$/);
    expect(fork.plan).toBe(first.plan);
    expect(await soundnessOf(fork.run)).toEqual([]);
    const asked = replays.asked();
    const replay = await replays.idle(await replays.runs.replay(fork.run));
    expect([resultOf(replay), replays.asked()]).toEqual([resultOf(fork), asked]);
  });

  it('replaces the item of one unit of a map, or all of them before it is split', async () => {
    const yaml = `graph: {id: map, start: [S], end: [J], nodes: [{id: S, type: passthrough, config: {}}, {id: Each, type: passthrough, config: {}}, {id: J, type: passthrough, config: {only_last_message: false}}], edges: [{from: S, to: Each, dynamic: {type: map, config: {split_type: lines}}}, {from: Each, to: J}]}`;
    const first = await replays.run(yaml, 'a\nb\nc');
    const journal = await journalOf(replays.stage.runtime.store, first.run);
    const readyOf = (wanted: 'open' | 'unit', unit?: number) =>
      journal.flatMap(({ event }) =>
        event.type === 'activation.ready' && event.part === wanted && event.unit === unit ? [event.activation] : [],
      )[0] ?? 'a0';
    const outputOf = async (at: `a${number}`) =>
      (await replays.idle(await replays.runs.fork(first.run, { at, input: 'x\ny' }))).outputs['J'];

    expect(await outputOf(readyOf('unit', 2))).toBe('x\ny');
    expect(await outputOf(readyOf('open'))).toBe('y');
  });

  it('is refused where the activation combines what others have put out', async () => {
    const first = await replays.runExample('voting');
    const journal = await journalOf(replays.stage.runtime.store, first.run);
    const [at = 'a0'] = journal.flatMap(({ event }) =>
      event.type === 'activation.ready' && event.part === 'close' ? [event.activation] : [],
    );

    await expect(replays.runs.fork(first.run, { at, input: 'x' })).rejects.toMatchObject({ code: 'FORK_INPUT_FIXED' });
  });
});

it('previews what is kept, and what is paid again', async () => {
  const first = await replays.run(chain('Old'));

  expect(await replays.runs.previewFork(first.run, 'a2')).toMatchObject({
    kept: 1,
    live: ['a2'],
    following: 1,
    inherited: { calls: 1 },
    own: { calls: 1 },
    after: { calls: 0 },
  });
});

it('previews at every activation what the fork takes over', async () => {
  const first = await replays.runExample('subgraph');
  for (const at of await replays.readyIn(first.run)) {
    const preview = await replays.runs.previewFork(first.run, at);
    const fork = await replays.runs.fork(first.run, { at });
    const journal = (await journalOf(replays.stage.runtime.store, fork)).map(({ event }) => event);
    const shared = journal.slice(
      0,
      journal.findIndex(({ type }) => type === 'run.forked'),
    );
    const live = new Set<string>();
    let calls = 0;
    for (const event of shared) {
      if (event.type === 'activation.ready') live.add(event.activation);
      else if (event.type === 'activation.completed' || event.type === 'activation.opened')
        live.delete(event.activation);
      if (event.type === 'step.completed' && event.usage !== undefined) calls += 1;
    }
    const ready = shared.filter(({ type }) => type === 'activation.ready').length;

    expect([at, new Set(preview.live), preview.kept, preview.inherited.calls + preview.own.calls]).toEqual([
      at,
      live,
      ready - live.size,
      calls,
    ]);
    expect(preview.inherited.calls + preview.own.calls + preview.after.calls).toBe(first.usage.calls);
  }
});
