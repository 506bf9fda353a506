import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, Plan, StateView } from '@millrace/core';
import { activationsOf, compile, Draft, evolve, isExecuting, isWaiting, runOf, State } from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import { beginRunProjection, project, restoreProjection, snapshotOf } from '@millrace/core/projection';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { goldens } from '../../golden/golden.ts';
import { chanceOf } from '../../support/faults/seeded.ts';
import { createSimulation } from '../../support/faults/simulation.ts';
import { journalOf } from '../../support/runs/audit.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import { driveRun, workflowOf } from '../../support/runs/scenario.ts';
import { scenarios, stopped } from '../../support/runs/scenarios.ts';
import { openStage } from '../../support/runs/stage.ts';

/*
 * Two folds of one journal: the state, with which the engine decides, and the projection, which people see. They must agree
 * after every commit.
 */

/** Common part of the projection and the state of a run. */
interface CommonView {
  readonly status: string;
  readonly live: Readonly<Record<string, string>>;
  /** Numbers of completions of the nodes of the root graph. */
  readonly runs: readonly number[];
  readonly activations: number;
  readonly usage: unknown;
  readonly budget: unknown;
  readonly scopes: readonly string[];
}

function budgetOf(state: StateView): unknown {
  const { asking: _question, ...budget } = state.get('budget') ?? { limit: undefined };
  return budget.limit === undefined ? null : budget;
}

const byState = (plan: Plan, state: StateView): CommonView => ({
  status: runOf(state).status,
  live: Object.fromEntries(
    [...activationsOf(state)].map(([id, record]) => [
      id,
      record.failed ? 'failed' : isWaiting(record) ? 'waiting' : isExecuting(record) ? 'working' : 'ready',
    ]),
  ),
  runs: (plan.graphs.get('')?.nodes ?? []).map(({ id }) => state.get(`node/s0/${id}`)?.runs ?? 0),
  activations: runOf(state).activations,
  usage: runOf(state).usage,
  budget: budgetOf(state),
  scopes: [...state.keys('scope/')].map((key) => key.slice('scope/'.length)).sort(),
});

const byProjection = (plan: Plan, projection: RunProjection): CommonView => ({
  status: projection.status,
  live: Object.fromEntries(
    [...projection.live].map(([id, { state, waitsFor }]) => {
      // The engine has nothing to say of an activation that is postponed, or that waits for room in the budget.
      const isReady = waitsFor?.type === 'time' || (waitsFor?.type === 'budget' && waitsFor.asks !== true);
      return [id, isReady ? 'ready' : state];
    }),
  ),
  runs: (plan.graphs.get('')?.nodes ?? []).map(({ index }) => projection.graphs.get('')?.nodes.get(index)?.runs ?? 0),
  activations: projection.activations,
  usage: projection.usage,
  budget: projection.budget,
  scopes: [...projection.scopes.keys()].sort(),
});

function expectAgreement(plan: Plan, journal: readonly JournalEntry[]): void {
  let projection = beginRunProjection();
  const state = new State();
  for (const [index, entry] of journal.entries()) {
    const { id, at, event } = entry;
    project(projection, entry);
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
    // Between the events of one commit, neither is complete.
    if (journal[index + 1]?.id.split('-')[0] === id.split('-')[0]) continue;
    // A projection that was stored meanwhile continues as if it had not been.
    projection = restoreProjection(JSON.parse(JSON.stringify(snapshotOf(projection))));
    expect(byProjection(plan, projection), `after event ${id}, ${event.type}`).toEqual(byState(plan, state));
  }
}

/** Units of a fan-out that are graphs with loops; one branch of each is stopped before its end. */
const nested: Scenario = {
  name: 'a map of graphs',
  input: 'one\ntwo\nthree\nfour',
  answers: [],
  yaml: () => `graph:
  id: nested
  nodes:
    - { id: Source, type: passthrough, config: {} }
    - id: Each
      type: subgraph
      config:
        type: config
        config:
          id: each
          start: [W]
          end: [END]
          scopes:
            - id: talk
              nodes: [W, C]
              termination: { type: max_messages, config: { max_messages: 3 }, exit_to: [END] }
          nodes:
            - { id: W, type: agent, config: { provider: scripted, name: m, params: { default: draft } } }
            - { id: C, type: literal, config: { content: again } }
            - { id: END, type: passthrough, config: {} }
          edges:
            - { from: W, to: C }
            - { from: C, to: W }
            - { from: C, to: END, condition: { type: keyword, config: { any: [over] } } }
    - { id: Pair, type: agent, config: { provider: scripted, name: m, params: { default: pair } } }
    - { id: Join, type: passthrough, config: {} }
  edges:
    - { from: Source, to: Each, dynamic: { type: map, config: { split_type: lines, max_parallel: 2 } } }
    - { from: Source, to: Pair, dynamic: { type: tree, config: { split_type: lines, group_size: 2 } } }
    - { from: Each, to: Join }
    - { from: Pair, to: Join }
`,
};

/** All that can happen to a run from outside, at any moment. */
const rough = { kill: 60, loseWake: 8, repeatWake: 4, fail: 20, meddle: 15 };
const seeds = [1, 2, 3];

afterEach(() => {
  vi.useRealTimers();
});

describe('the projection of a run', () => {
  it.each([...goldens()])('agrees with the state after every commit of a %s', (_shape, golden) => {
    expectAgreement(compile(golden.workflow, createVocabulary()), golden.journal);
  });

  it.each([...scenarios, stopped, nested].map((scenario) => ({ name: scenario.name, scenario })))(
    'agrees with the state while $name is executed',
    async ({ scenario }) => {
      const stage = await openStage({ where: { local: true } });
      const workflow = workflowOf(scenario, stage.vocabulary);
      const run = await stage.runtime.runs.start({ workflow, input: scenario.input });
      await driveRun(stage.runtime.runs, run, scenario);
      const journal = await journalOf(stage.runtime.store, run);
      await stage.close();

      expectAgreement(compile(workflow, stage.vocabulary), journal);
    },
  );

  it.each([...scenarios, nested].map((scenario) => ({ name: scenario.name, scenario })))(
    'agrees with the state however $name is paused, stopped and continued',
    async ({ scenario }) => {
      // Timers belong to the simulation.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
      const vocabulary = createVocabulary();
      const plan = compile(workflowOf(scenario, vocabulary), vocabulary);
      for (const seed of seeds) {
        const moveClock = async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms));
        const simulation = createSimulation(vocabulary, chanceOf(seed), { roughness: rough, moveClock });
        const { run } = await simulation.play(scenario);

        expectAgreement(plan, await journalOf(simulation.store, run));
      }
    },
  );
});
