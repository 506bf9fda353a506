import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const installation = newInstallation();
const open = () => openRuntime(installation.where, vocabulary, () => undefined);
const runtime = openBeforeAll(open);
const other = openBeforeAll(open);

const waiting = `
graph:
  id: waiting
  nodes: [{ id: Wait, type: wait_for, config: { event: go } }]
`;

/** Lets the reply to the next commit be lost: the connection sends the commit again, after others have committed. */
function loseNextReply({ store }: Runtime, meanwhile: () => Promise<unknown>): void {
  const { commit } = store;
  Object.assign(store, {
    commit: async (made: Parameters<typeof commit>[0]) => {
      Object.assign(store, { commit });
      await commit(made);
      await meanwhile();
      return commit(made);
    },
  });
}

async function started(): Promise<string> {
  const run = `run_${randomUUID().replaceAll('-', '')}`;
  await runtime.runs.start({ workflow: workflowIn(waiting, vocabulary), input: 'x', run });
  return run;
}

it('commits a signal once when the reply to its commit is lost and others commit before it is sent again', async () => {
  const run = await started();
  loseNextReply(runtime, () => other.runs.signal(run, { name: 'go', data: 'other' }));
  await runtime.runs.signal(run, { name: 'go', data: 'own' });

  const events = (await journalOf(other.store, run)).map(({ event }) => event.type);
  expect(events.filter((type) => type === 'signal.received')).toHaveLength(2);
  // The process goes on from what others have committed.
  await runtime.runs.signal(run, { name: 'go', data: 'last' });
  expect((await journalOf(other.store, run)).filter(({ event }) => event.type === 'signal.received')).toHaveLength(3);
});

it('accepts what has been done when the reply to its commit is lost', async () => {
  const run = await started();
  loseNextReply(runtime, () => other.runs.signal(run, { name: 'go' }));
  await runtime.runs.control(run, 'pause');
  expect((await other.runs.describe(run))?.status).toBe('paused');

  loseNextReply(runtime, () => other.runs.control(run, 'pause'));
  await runtime.runs.resume(run);
  expect((await runtime.runs.describe(run))?.status).toBe('paused');
});
