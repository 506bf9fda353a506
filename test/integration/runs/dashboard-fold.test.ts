import { createVocabulary } from '@millrace/catalog';
import { compile } from '@millrace/core';
import { fold } from '@millrace/runtime';
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

    for (let after = 1; after <= golden.journal.length; after += 1) {
      const events = golden.journal.slice(0, after);
      // The events of one commit are one step: between them the engine's state is not complete either.
      if (golden.journal[after]?.id.split('-')[0] === events.at(-1)?.id.split('-')[0]) continue;
      const picture = foldForPeople(events.map(({ id, at, event }) => ({ id, at, event: { ...event } })));

      for (const graph of graphsOf(plan, fold(plan, events))) {
        const shown = nodesOf(picture, graph.key, graph.nodes.length);
        // The server forgets how often a node of a subgraph has run when its call is left; the picture does not.
        const comparable =
          graph.key === '' ? same : ({ status, live }: NodePicture) => (live === 0 ? 0 : { status, live });
        expect(shown.map(comparable), `graph "${graph.key}" after ${after} events`).toEqual(
          graph.nodes.map(comparable),
        );
      }
    }
  });
});
