import { RunGraphs } from '@millrace/api';
import { createVocabulary } from '@millrace/catalog';
import type { Plan } from '@millrace/core';
import { compile } from '@millrace/core';
import type { NodeProjection, ProjectedEntry, RunProjection } from '@millrace/core/projection';
import { beginRunProjection, displayedStatus, project, readNodes } from '@millrace/core/projection';
import { describe, expect, it } from 'vitest';
import {
  continuedProjection,
  createProjections,
  projectionOf,
} from '../../../packages/dashboard/src/run/follow/run-projections.ts';
import { edgeViewsOf } from '../../../packages/dashboard/src/run/graph/view/edge-view.ts';
import { loopViewsOf } from '../../../packages/dashboard/src/run/graph/view/loop-view.ts';
import { nodeViewsOf } from '../../../packages/dashboard/src/run/graph/view/node-view.ts';
import { graphsOf, progressOf } from '../../../packages/runtime/src/runs/run-graph.ts';
import { goldens } from '../../golden/golden.ts';
import { published } from '../../golden/published.ts';

/*
 * The server and the page of a run have one projection. The server makes it of stored events and sends graphs of it; the
 * page makes it of published events, or continues it from those graphs. Both must show the same.
 */

/** The graphs of a run with everything in progress, as the API sends them. */
function served(plan: Plan, projection: RunProjection): RunGraphs {
  const { event, at, usage, budget, activations } = projection;
  const status = displayedStatus(projection);
  const graphs = graphsOf(plan, projection);
  const answer = { event, at, now: at, status, usage, budget, activations, graphs, progress: progressOf(projection) };
  return RunGraphs.parse(JSON.parse(JSON.stringify(answer)));
}

/** The graphs as the page shows them, without what only events say; `projection` is absent where the server's are shown. */
function shown({ graphs }: RunGraphs, projection?: RunProjection) {
  const known = projection === undefined ? undefined : { projection, read: readNodes(projection) };
  return graphs.map((graph) => ({
    nodes: nodeViewsOf(graph, known).map(
      ({ outputText: _said, failure: _failure, iteration: _iteration, ...node }) => ({
        ...node,
        waitsFor: node.waitsFor && { ...node.waitsFor, prompt: undefined },
      }),
    ),
    edges: edgeViewsOf(graph, projection),
    loops: loopViewsOf(graph, projection),
  }));
}

/** The run as its page heads it. */
const summary = ({ activations, usage, budget, live, ...projection }: RunProjection) => ({
  status: displayedStatus({ ...projection, live }),
  activations,
  usage,
  budget,
  live: live.size,
});

/** A projection without what only published events say. */
const silent = (projection: RunProjection): RunProjection => ({
  ...projection,
  graphs: new Map(
    [...projection.graphs].map(([key, graph]) => [
      key,
      { ...graph, nodes: new Map([...graph.nodes].map(([index, node]) => [index, withoutTexts(node)])) },
    ]),
  ),
  live: new Map(
    [...projection.live].map(([id, one]) => [
      id,
      one.waitsFor === undefined ? one : { ...one, waitsFor: { ...one.waitsFor, prompt: undefined } },
    ]),
  ) as RunProjection['live'], // an absent prompt
});

function withoutTexts({ id: _id, outputText: _text, failure: _failure, ...node }: NodeProjection): NodeProjection {
  return node;
}

const projected = (entries: readonly ProjectedEntry[]): RunProjection => {
  const projection = beginRunProjection();
  for (const entry of entries) project(projection, entry);
  return projection;
};

/** Ranges of so many events: from each place to the next one, and to the end. */
const rangesOf = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, start) => [start + 1, count].map((end) => [start, end] as const)).flat();

describe.each([...goldens()])('the picture of a %s', (_shape, golden) => {
  const plan = compile(golden.workflow, createVocabulary());
  const { journal } = golden;

  it('is the same from stored and from published events, after each of them', async () => {
    const untouched = served(plan, beginRunProjection());
    const projections = createProjections();
    const stored = beginRunProjection();
    const events = await published(golden);

    for (const [before, entry] of journal.entries()) {
      project(stored, entry);
      const projection = projections.at(events, before + 1);

      const where = `after ${before + 1} events`;
      expect(silent(projection), where).toEqual(silent(stored));
      expect(shown(untouched, projection), where).toEqual(shown(served(plan, stored)));
    }
  });

  it('continues at any event from the graphs of the server', async () => {
    const untouched = served(plan, beginRunProjection());
    const events = await published(golden);

    for (const [start, end] of rangesOf(journal.length)) {
      const continued = continuedProjection(served(plan, projected(journal.slice(0, start))));
      for (const event of events.slice(start, end)) project(continued, event);
      const whole = projected(journal.slice(0, end));

      const where = `${start} events at the server, and the next ${end - start}`;
      expect(summary(continued), where).toEqual(summary(whole));
      expect(shown(untouched, continued), where).toEqual(shown(served(plan, whole)));
    }
  });

  it('is the same when the page goes back in time', async () => {
    const events = await published(golden);
    const projections = createProjections();
    projections.at(events, events.length);

    for (const count of [1, Math.floor(events.length / 2), events.length - 1])
      expect(projections.at(events, count)).toEqual(projectionOf(events.slice(0, count)));
  });
});
