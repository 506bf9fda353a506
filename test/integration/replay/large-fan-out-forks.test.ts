import type { MessageRef } from '@millrace/core';
import { textOf } from '@millrace/core';
import { expect, it, onTestFinished } from 'vitest';
import { audit } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

/** A workflow that executes a node for a field of each row; its fan-out is stored in parts. */
const namesOf = (field: string): string => `graph:
  id: rows
  start: [Rows]
  end: [Row]
  nodes:
    - {id: Rows, type: passthrough, config: {}}
    - {id: Row, type: passthrough, config: {}}
  edges:
    - {from: Rows, to: Row, dynamic: {type: map, config: {split_type: json_path, json_path: '$.rows[*].${field}'}}}
`;

const rowsOf = (count: number): string =>
  JSON.stringify({ rows: Array.from({ length: count }, (_, at) => ({ name: `name ${at}`, id: `id ${at}` })) });

/** Runs the workflow with five rows, and returns forks of it at the activation that opened its fan-out. */
async function openForks() {
  const stage = await openStage({ where: { local: true, limits: { unitsPerCommit: 2 } } });
  onTestFinished(stage.close);
  const { description, journal } = await stage.run(namesOf('name'), rowsOf(5));
  const opened = journal.find(({ event }) => event.type === 'activation.opened')?.event;
  if (opened?.type !== 'activation.opened') throw new Error('no fan-out was opened');
  const { runs, store } = stage.runtime;
  return {
    async fork(changes: { readonly input?: string; readonly field?: string }) {
      const { input, field } = changes;
      const run = await runs.fork(description.run, {
        at: opened.activation,
        ...(input === undefined ? {} : { input }),
        ...(field === undefined ? {} : { plan: { workflow: workflowIn(namesOf(field), stage.vocabulary) } }),
      });
      const refs: MessageRef[] = [];
      for await (const { event } of entriesOf(runs, run))
        if (event.type === 'activation.completed') refs.push(...event.outputs);
      expect(await audit(store, run, stage.vocabulary)).toEqual([]);
      const messages = await runs.messages(run, refs);
      return { status: (await runs.describe(run))?.status, texts: messages.map(textOf).slice(1).sort() };
    },
  };
}

it('cuts the input of a large fan-out anew in a fork under a workflow that cuts it otherwise', async () => {
  const { fork } = await openForks();

  expect(await fork({ field: 'id' })).toEqual({
    status: 'completed',
    texts: ['id 0', 'id 1', 'id 2', 'id 3', 'id 4'],
  });
});

it('opens a small fan-out in a fork of a large one', async () => {
  const { fork } = await openForks();

  expect(await fork({ input: rowsOf(1) })).toEqual({ status: 'completed', texts: ['name 0'] });
});
