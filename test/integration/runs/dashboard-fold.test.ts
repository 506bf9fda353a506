import { RunGraphs } from '@millrace/api';
import { createVocabulary } from '@millrace/catalog';
import type { RunEvent } from '@millrace/client';
import type { JournalEntry, Plan, RunProjection } from '@millrace/core';
import { beginRunProjection, compile, project } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { continuedPicture } from '../../../packages/dashboard/src/run/fold/continued-picture.ts';
import { apply, fold } from '../../../packages/dashboard/src/run/fold/fold.ts';
import type { Picture } from '../../../packages/dashboard/src/run/fold/picture.ts';
import { nodesOf } from '../../../packages/dashboard/src/run/fold/picture.ts';
import { createPictures } from '../../../packages/dashboard/src/run/fold/pictures.ts';
import { edgeViewsOf } from '../../../packages/dashboard/src/run/graph/view/edge-view.ts';
import { loopViewsOf } from '../../../packages/dashboard/src/run/graph/view/loop-view.ts';
import { nodeViewsOf } from '../../../packages/dashboard/src/run/graph/view/node-view.ts';
import { graphsOf, progressOf } from '../../../packages/runtime/src/runs/run-graph.ts';
import { goldens } from '../../golden/golden.ts';

type Graphs = ReturnType<typeof graphsOf>;

/** Common part of the graphs of the server and of the page. */
const served = (graphs: Graphs) =>
  graphs.map(({ nodes, edges, cycles }) => ({
    nodes: nodes.map(({ status, runs, live, activations, last, counter, timer, units, waitsFor, usage }) => ({
      ...{
        status,
        runs,
        live,
        activations,
        last,
        counter,
        timer,
        units,
        waits: waitsFor?.type,
        since: waitsFor?.since,
      },
      microUsd: usage?.microUsd ?? 0,
    })),
    edges: edges.map(({ index, passed, missed }) => ({ index, passed, missed })),
    loops: cycles
      .map(({ nodes: members, turn, limit, live }) => ({ members, turn, limit, isLive: live }))
      .sort(byMembers),
  }));

/** The same as the page shows it; its graphs come from the server without anything that events change. */
const shown = (graphs: Graphs, picture: Picture) =>
  graphs.map((graph) => {
    const states = nodesOf(picture, graph.key, graph.nodes.length);
    return {
      nodes: nodeViewsOf(asGenerated(graph), picture).map(
        ({ status, activations, last, counter, timer, units, waitsFor, microUsd }, at) => ({
          ...{
            ...states[at],
            status,
            activations,
            last,
            counter,
            timer,
            units,
            waits: waitsFor?.type,
            since: waitsFor?.since,
          },
          microUsd,
        }),
      ),
      edges: edgeViewsOf(asGenerated(graph), picture).map(({ index, passed, missed }) => ({ index, passed, missed })),
      loops: loopViewsOf(asGenerated(graph), picture)
        .map(({ members, turn, limit, isLive }) => ({ members, turn, limit, isLive }))
        .sort(byMembers),
    };
  });

const byMembers = (one: { members: readonly number[] }, other: { members: readonly number[] }) =>
  one.members.join().localeCompare(other.members.join());

// The types of the client are mutable.
const asGenerated = (graph: Graphs[number]) => structuredClone(graph) as Parameters<typeof nodeViewsOf>[0];

/** The events of a journal as its readers get them. The page needs none of the fields that only these have. */
const readAs = (journal: readonly JournalEntry[]) => journal as unknown as readonly RunEvent[];

/** The graphs of a run with everything in progress, as the API sends them. */
const answerAt = (plan: Plan, projection: RunProjection) => {
  const { event, at, status, usage, budget, activations } = projection;
  const graphs = graphsAt(plan, projection);
  const answer = { event, at, now: at, status, usage, budget, activations, graphs, progress: progressOf(projection) };
  return RunGraphs.parse(JSON.parse(JSON.stringify(answer)));
};

/** Returns the number of calls of models of all nodes. */
const callsIn = ({ usageByNode }: Picture): number =>
  [...usageByNode.values()].reduce((sum, { calls }) => sum + calls, 0);

/** Ranges of so many events: from each place to itself, to the next one, and to the end. */
const rangesOf = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, start) => [start, start + 1, count].map((end) => [start, end] as const)).flat();

const graphsAt = (plan: Plan, projection: RunProjection): Graphs => graphsOf(plan, projection);

describe('the graph that the dashboard folds from a journal', () => {
  it.each([...goldens()])('equals the graph of the server, after every commit of a %s', (_shape, golden) => {
    const plan = compile(golden.workflow, createVocabulary());
    const projection = beginRunProjection();
    const untouched = graphsAt(plan, beginRunProjection());
    const pictures = createPictures();
    const events = readAs(golden.journal);

    for (const [before, entry] of golden.journal.entries()) {
      project(projection, entry);
      // The events of one commit are one step.
      if (golden.journal[before + 1]?.id.split('-')[0] === entry.id.split('-')[0]) continue;

      const picture = pictures.at(events, before + 1);

      expect(picture.budget ?? null, `after ${before + 1} events`).toEqual(projection.budget);
      expect(shown(untouched, picture), `after ${before + 1} events`).toEqual(served(graphsAt(plan, projection)));
    }
  });

  it.each([...goldens()])('continues at any event from the graphs of the server, in a %s', (_shape, golden) => {
    const plan = compile(golden.workflow, createVocabulary());
    const untouched = graphsAt(plan, beginRunProjection());
    const { journal } = golden;

    for (const [start, end] of rangesOf(journal.length)) {
      const projection = beginRunProjection();
      for (const entry of journal.slice(0, start)) project(projection, entry);
      const picture = continuedPicture(answerAt(plan, projection));
      for (const entry of journal.slice(start, end)) project(projection, entry);
      for (const event of readAs(journal.slice(start, end))) apply(picture, event);

      const where = `${start} events at the server, and the next ${end - start}`;
      expect(picture.budget ?? null, where).toEqual(projection.budget);
      expect(callsIn(picture), where).toBe(projection.usage.calls);
      expect(shown(untouched, picture), where).toEqual(served(graphsAt(plan, projection)));
    }
  });

  it.each([...goldens()])('is the same when it goes back in time in a %s', (_shape, { journal }) => {
    const events = readAs(journal);
    const pictures = createPictures();
    pictures.at(events, events.length);

    for (const count of [1, Math.floor(events.length / 2), events.length - 1])
      expect(pictures.at(events, count)).toEqual(fold(events.slice(0, count)));
  });
});
