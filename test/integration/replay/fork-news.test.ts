import type { RunId } from '@millrace/core';
import type { Instrumentation } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';
import { waitUntil } from '../../support/waiting.ts';

const asking = `
graph:
  id: asking
  nodes: [{ id: H, type: human, config: {} }]
`;

const stage = openBeforeEach(() => openStage({ where: { local: true } }));

const until = async (run: RunId, type: string): Promise<void> => {
  for await (const { event } of entriesOf(stage.runtime.runs, run)) if (event.type === type) return;
};

/** A run that was stopped while it waited for a person. */
const stopped = async (): Promise<RunId> => {
  const { runs } = stage.runtime;
  const run = await runs.start({ workflow: workflowIn(asking, stage.vocabulary), input: 'x' });
  await until(run, 'activation.suspended');
  await runs.stop(run, { note: 'enough', inFlight: 'cancel' });
  await until(run, 'run.finished');
  return run;
};

it('does not report the inherited events of a fork as new', async () => {
  const run = await stopped();
  await stage.runtime.runs.resume(run);
  await until(run, 'run.resumed');
  const heard: string[] = [];
  const committed: Instrumentation['committed'] = ({ events }) => void heard.push(...events.map(({ type }) => type));
  stage.runtime.instrumentation.add({ committed });

  const fork = await stage.runtime.runs.fork(run, { at: 'a1' });
  await waitUntil(() => heard.includes('activation.suspended'));

  expect(heard).not.toContain('run.finished');
  expect((await stage.runtime.runs.describe(fork))?.status).toBe('waiting');
});

it('delivers events of a fork to webhooks that were created after the start of its ancestor', async () => {
  const run = await stopped();
  const { webhooks } = createTenantRuntime(stage.runtime, 'default');
  await webhooks.create({ url: 'http://127.0.0.1:9/', events: [] }, (id) => id);

  const fork = await stage.runtime.runs.fork(run, { at: 'a1' });

  const [notice] = await stage.runtime.store.outbox.take(AbortSignal.timeout(60_000));
  expect(notice?.run).toBe(fork);
});
