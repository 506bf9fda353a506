import { createVocabulary } from '@millrace/catalog';
import { expect } from 'vitest';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { withFleet } from '../../support/runs/with-fleet.ts';

const agents = 30;
const changed = agents - 1;
const vocabulary = createVocabulary();

/** A chain of agents, of which one has another prompt. */
function chain(url: string, prompt: string) {
  const ids = Array.from({ length: agents }, (_, at) => `A${at + 1}`);
  const nodes = ids.map(
    (id, at) =>
      `{id: ${id}, type: agent, config: {provider: openai, name: m, base_url: '${url}', api_key: k, role: '${at + 1 === changed ? prompt : id}'}}`,
  );
  const edges = ids.slice(1).map((id, at) => `{from: ${ids[at]}, to: ${id}}`);
  return workflowIn(
    `graph: {id: chain, prices: {m: {input: 1, output: 2}}, nodes: [${nodes.join(', ')}], edges: [${edges.join(', ')}]}`,
    vocabulary,
  );
}

withFleet('a replay under another workflow makes no call twice when its worker is killed', async ({ fleet }) => {
  const { runs } = fleet.runtime;
  const model = await startFakeProvider({
    reply: (_turn, n) => ({ text: `answer ${n}`, usage: { input: 7, output: n } }),
  });
  const first = await fleet.startWorker();
  const run = await runs.start({ workflow: chain(model.at('ok'), 'short'), input: 'go' });
  await fleet.until(run, ({ event }) => event.type === 'run.finished');
  const source = await runs.describe(run);
  expect([source?.status, model.requests.length]).toEqual(['completed', agents]);

  const replay = await runs.replay(run, { mode: 'reuse', plan: { workflow: chain(model.at('ok'), 'long') } });
  let taken = 0;
  await fleet.until(
    replay,
    ({ event }) => event.type === 'step.completed' && event.recorded !== undefined && ++taken === 4,
  );
  await first.kill();
  expect((await runs.describe(replay))?.status).toBe('running');
  await fleet.startWorker();
  await fleet.until(replay, ({ event }) => event.type === 'run.finished');
  await model.close();

  const live = agents - changed + 1;
  expect(model.requests).toHaveLength(agents + live);
  // The recorded replies had 1, 2, 3 … tokens; the price of a token is in millionths of a dollar.
  const reused = changed - 1;
  const completionTokens = (reused * (reused + 1)) / 2;
  const promptTokens = 7 * reused;
  const description = await runs.describe(replay);
  expect(description).toMatchObject({
    status: 'completed',
    usage: { calls: live },
    recorded: { calls: reused, promptTokens, completionTokens, microUsd: promptTokens + 2 * completionTokens },
  });
  expect((await fleet.inspect([run, replay])).violations).toEqual([]);
});
