import { RunEvent } from '@millrace/api';
import type { JournalEvent } from '@millrace/core';
import { questionOf } from '@millrace/core';
import type { PublishedEntry, TenantRuntime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { branches, chain, cycle, map, tree } from '../../support/runs/scenarios.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const long = '💡'.repeat(150) + 'x'.repeat(70_000);

/** A loop with a subgraph and a person, and afterwards a map, a node that says nothing, and one that fails. */
const everything = `
graph:
  id: everything
  start: [Begin]
  end: [End]
  nodes:
    - {id: Begin, type: passthrough, config: {}}
    - {id: Ask, type: human, config: {description: "Is it good?"}}
    - {id: Inner, type: subgraph, config: {type: config, config: {id: inner, start: [Say], end: [Say], nodes: [{id: Say, type: literal, config: {content: So.}}], edges: []}}}
    - {id: Guard, type: loop_counter, config: {max_iterations: 2}}
    - {id: Lines, type: literal, config: {content: "one\\ntwo"}}
    - {id: Each, type: passthrough, config: {}}
    - {id: Quiet, type: literal, log_output: false, config: {content: hush}}
    - {id: Long, type: literal, config: {content: "${long}"}}
    - {id: End, type: passthrough, config: {}}
    - {id: Never, type: passthrough, config: {}}
  edges:
    - {from: Begin, to: Ask}
    - {from: Ask, to: Inner}
    - {from: Inner, to: Guard}
    - {from: Guard, to: Ask}
    - {from: Inner, to: Ask}
    - {from: Guard, to: Lines}
    - {from: Lines, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 1}}}
    - {from: Each, to: Quiet}
    - {from: Quiet, to: Long}
    - {from: Long, to: End}
    - {from: Begin, to: Never, condition: {type: keyword, config: {any: [absent]}}}
`;

const scenarios = { chain, cycle, map, tree, branches };

describe.each(['everything', 'chain', 'cycle', 'map', 'tree', 'branches'] as const)(
  'the events of the run %s',
  (name) => {
    onBothStores('returned to readers', (stage) => {
      it('are the same in every way to read them, and match the schema of the API', async () => {
        const { tenant, run } = await played(stage, name);
        const whole = await tenant.run(run).readEvents('0', 5000);
        const one: PublishedEntry[] = [];
        for (;;) {
          const [next] = await tenant.run(run).readEvents(one.at(-1)?.id ?? '0', 1);
          if (next === undefined) break;
          one.push(next);
        }
        const followed: PublishedEntry[] = [];
        const middle = whole[Math.floor(whole.length / 2)]?.id ?? '0';
        for await (const entry of tenant.run(run).followEvents(middle, AbortSignal.timeout(20_000)))
          followed.push(entry);

        expect(one).toEqual(whole);
        expect(followed).toEqual(whole.slice(-followed.length));
        expect(whole.map((entry) => RunEvent.parse(entry))).toEqual(whole);
        expect(JSON.stringify(whole)).not.toContain('"token"');
      });
    });
  },
);

onBothStores('the events of a run', (stage) => {
  it('name the nodes, their types, units and iterations', async () => {
    const { tenant, run } = await played(stage, 'everything');
    const events = (await tenant.run(run).readEvents('0', 5000)).map(({ event }) => event);

    expect(places(events, 'activation.completed')).toEqual([
      'Begin passthrough',
      'Ask human iteration 1',
      'Inner/Say literal',
      'Inner subgraph iteration 1',
      'Guard loop_counter iteration 1',
      'Ask human iteration 2',
      'Inner/Say literal',
      'Inner subgraph iteration 2',
      'Guard loop_counter iteration 2',
      'Lines literal',
      'Each passthrough unit 0',
      'Each passthrough unit 1',
      'Quiet literal',
      'Long literal',
      'End passthrough',
    ]);
    expect(places(events, 'cycle.iterated')).toEqual(['Ask human iteration 2']);
    expect(places(events, 'fanout.entered')).toEqual(['Each passthrough']);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'graph.entered', graph: 'Inner', nodeId: 'Inner', nodeType: 'subgraph' }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'items.skipped', nodeIds: ['Never'], graph: '' }));
  });

  it('have the beginnings of messages, without hidden ones', async () => {
    const { tenant, run } = await played(stage, 'everything');
    const events = (await tenant.run(run).readEvents('0', 5000)).map(({ event }) => event);
    const texts = (type: JournalEvent['type']) =>
      events.filter((event) => event.type === type).map((event) => ('text' in event ? event.text : undefined));

    expect(texts('run.started')).toEqual(['An article']);
    expect(texts('activation.suspended')).toEqual(['Is it good?', 'Is it good?']);
    expect(texts('activation.answered')).toEqual(['no', 'yes']);
    expect(texts('activation.completed').slice(9)).toEqual([
      'one\ntwo',
      'one',
      'two',
      undefined,
      `${'💡'.repeat(150)}${'x'.repeat(50)}…`,
      `${'💡'.repeat(150)}${'x'.repeat(50)}…`,
    ]);
    expect(texts('run.finished')).toEqual([`${'💡'.repeat(150)}${'x'.repeat(50)}…`]);
  });

  it('name who answered, if it is known', async () => {
    const { tenant, run } = await played(stage, 'everything');
    const events = await tenant.run(run).readEvents('0', 5000);

    expect(events.flatMap(({ event }) => (event.type === 'activation.answered' ? [event.by] : []))).toEqual([
      'ann',
      undefined,
    ]);
  });
});

async function played(stage: Stage, name: 'everything' | keyof typeof scenarios) {
  const { runs, store } = stage.runtime;
  const tenant: TenantRuntime = createTenantRuntime({ runs, store }, 'default');
  const workflow =
    name === 'everything' ? workflowIn(everything, stage.vocabulary) : workflowOf(scenarios[name], stage.vocabulary);
  const input = name === 'everything' ? 'An article' : scenarios[name].input;
  const run = await tenant.start({ workflow, input });
  let asked = 0;
  for await (const { event } of tenant.run(run).watch('0', AbortSignal.timeout(60_000))) {
    if (event.type !== 'activation.suspended') continue;
    asked += 1;
    const message = { role: 'user', content: asked === 1 ? 'no' : 'yes', source: 'Ask', keep: false } as const;
    await tenant.run(run).answer(questionOf(event), asked === 1 ? { message, by: 'ann' } : { message });
  }
  return { tenant, run };
}

/** Places of events of one type, in words. */
const places = (events: readonly JournalEvent[], type: JournalEvent['type']): readonly string[] =>
  events
    .filter((event) => event.type === type && 'nodeId' in event)
    .map((event) => {
      const { graph, nodeId, nodeType, unit, iteration } = event as JournalEvent & Record<string, unknown>;
      const node = graph === '' ? nodeId : `${graph}/${nodeId}`;
      return [
        node,
        nodeType,
        ...(unit === undefined ? [] : ['unit', unit]),
        ...(iteration === undefined ? [] : ['iteration', iteration]),
      ].join(' ');
    });
