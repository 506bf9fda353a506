import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HeldModels } from '../support/fakes/held-models.ts';
import { startHeldModels } from '../support/fakes/held-models.ts';
import { ask } from '../support/http/http.ts';
import { startWebhookReceiver } from '../support/http/webhook-receiver.ts';
import { buildOfCommit, format2Commit, uncheckedCommit } from '../support/processes/build.ts';
import type { MixedBuilds } from '../support/processes/mixed-builds.ts';
import { isAsking, openMixedBuilds } from '../support/processes/mixed-builds.ts';

let builds: MixedBuilds;
beforeEach(async () => {
  builds = await openMixedBuilds();
});
afterEach(() => builds.close());

const echo = 'graph:\n  id: echo\n  nodes: [{ id: A, type: passthrough, config: {} }]\n';
const question = `graph:
  id: question
  nodes: [{ id: Ask, type: human, config: { description: What shall it be? } }]
`;

/** Two agents, one after the other, that answer when the test says so. */
const held = (models: HeldModels) => `graph:
  id: held
  nodes:
    - { id: A, type: agent, config: ${models.agent('one')} }
    - { id: B, type: agent, config: ${models.agent('two')} }
  edges: [{ from: A, to: B }]
`;

/** Returns a predicate: exactly this number of a batch's rows have this status. */
const hasRows = (status: string, count: number) => (batch: Record<string, unknown>) =>
  (batch['rows'] as Record<string, number>)[status] === count; // the contract's

it.each([
  { earlier: 'checks no formats', commit: uncheckedCommit, unknown: [404, 500, 404] },
  { earlier: 'stores runs in format 2', commit: format2Commit, unknown: [503, 503, 503] },
])('loses nothing from a build that $earlier to this one, back, and forth again', async ({ commit, unknown }) => {
  const old = await buildOfCommit(commit);
  const models = await startHeldModels();
  const receiver = await startWebhookReceiver(() => 200);
  try {
    const notifying = (path: string) => ({ webhook: { url: `${receiver.url}/${path}` } });
    let [server, worker] = await Promise.all([builds.server(old), builds.worker(old)]);
    const waiting = await server.begin(question, { runId: 'waiting', ...notifying('waiting') });
    const paused = await server.begin(question, { runId: 'paused', ...notifying('paused') });
    const inHand = await server.begin(held(models), { runId: 'in-hand' });
    await server.until(`/v1/runs/${paused}`, isAsking);
    await server.post(`/v1/runs/${paused}/pause`, {});
    await server.post('/v1/schedules', { id: 'often', cron: '* * * * * *', run: { workflow: { yaml: echo } } });
    const rows = ['a', 'b', 'c'].map((input) => ({ input }));
    await server.post('/v1/batches', { id: 'rows', workflow: { yaml: question }, parallel: 1, rows });
    await server.until('/v1/batches/rows', hasRows('running', 1));
    await server.until('/v1/schedules/often', ({ last }) => last !== null);
    await Promise.all([models.asked('one', 1), receiver.until('/waiting', 1)]);

    // The new build comes, and the old worker dies in the middle of its work.
    const before = { server, worker };
    [server, worker] = await Promise.all([builds.server(), builds.worker()]);
    models.answer('one');
    await models.asked('two', 1);
    await before.server.stop();
    await before.worker.stop('SIGKILL');
    await models.asked('two', 2);
    await server.answer(waiting);
    await server.answer('rows_1');
    await server.until('/v1/batches/rows', hasRows('completed', 1));
    const ticked = await server.until('/v1/schedules/often', ({ last }) => last !== null);
    await server.until('/v1/schedules/often', ({ last }) => JSON.stringify(last) !== JSON.stringify(ticked['last']));
    const second = await server.begin(question, { runId: 'second', ...notifying('second') });
    await receiver.until('/second', 1);
    await worker.stop('SIGKILL');
    await server.stop();

    // The old build comes back, and can do nothing to what it does not know.
    [server, worker] = await Promise.all([builds.server(old), builds.worker(old)]);
    const asked = [
      await ask(`${server.url}/v1/runs/${second}`),
      await ask(`${server.url}/v1/runs`, { workflow: { yaml: echo }, runId: second }),
      await ask(`${server.url}/v1/runs/${second}/cancel`, {}),
    ];
    expect(asked.map(({ status }) => status)).toEqual(unknown);
    expect(await server.list()).toEqual(expect.arrayContaining([second, waiting, paused]));
    const mine = await server.begin(echo, { runId: 'mine' });
    await server.until(`/v1/runs/${mine}`, ({ status }) => status === 'completed');
    const asking = await server.begin(question, { runId: 'asking' });
    await Promise.all([server.stop(), worker.stop()]);

    // And the new one once more.
    [server, worker] = await Promise.all([builds.server(), builds.worker()]);
    await models.asked('two', 3);
    models.answer('two');
    await server.post(`/v1/runs/${paused}/resume`, {});
    for (const run of [paused, second, asking, 'rows_2', 'rows_3']) await server.answer(run);
    for (const run of [waiting, paused, second, asking, inHand, mine, 'rows_1', 'rows_2', 'rows_3']) {
      expect(await builds.ended(run)).toMatchObject({ status: 'completed', violations: [] });
    }
    await server.until('/v1/batches/rows', hasRows('completed', 3));
    for (const run of ['waiting', 'paused', 'second']) await receiver.until(`/${run}`, 2);
  } finally {
    await Promise.all([models.close(), receiver.close()]);
  }
});
