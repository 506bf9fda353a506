import { createVocabulary } from '@millrace/catalog';
import { beginRunProjection, compile, project } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fold as foldForPeople } from '../../../packages/dashboard/src/run/fold/fold.ts';
import type { NodePicture } from '../../../packages/dashboard/src/run/fold/picture.ts';
import { nodesOf } from '../../../packages/dashboard/src/run/fold/picture.ts';
import { graphsOf } from '../../../packages/runtime/src/runs/run-graph.ts';
import { goldens } from '../../golden/golden.ts';

const same = ({ status, runs, live }: NodePicture): NodePicture => ({ status, runs, live });

describe('the picture that the dashboard folds from a journal', () => {
  it.each([...goldens()])('is the graph that the server gives, after every event of a %s', (_shape, golden) => {
    const plan = compile(golden.workflow, createVocabulary());
    const projection = beginRunProjection();

    for (let after = 1; after <= golden.journal.length; after += 1) {
      const events = golden.journal.slice(0, after);
      for (const entry of events.slice(-1)) project(projection, entry);
      // The events of one commit are one step: between them the engine's state is not complete either.
      if (golden.journal[after]?.id.split('-')[0] === events.at(-1)?.id.split('-')[0]) continue;
      const picture = foldForPeople(events.map(({ id, at, event }) => ({ id, at, event: { ...event } })));

      for (const graph of graphsOf(plan, projection)) {
        const shown = nodesOf(picture, graph.key, graph.nodes.length);
        expect(shown.map(same), `graph "${graph.key}" after ${after} events`).toEqual(graph.nodes.map(same));
      }
    }
  });
});
