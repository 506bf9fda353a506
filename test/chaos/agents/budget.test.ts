import { createVocabulary } from '@millrace/catalog';
import { afterEach, expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { answeredTokens, longestReply } from '../../support/provider/longest-reply.ts';
import type { FakeProvider } from '../../support/provider/provider.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit } from '../../support/runs/audit.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();

const fleet = openBeforeEach(openFleet);
let model: FakeProvider | undefined;
afterEach(async () => {
  await model?.close();
});

const agent = (url: string) =>
  `{id: Each, type: agent, config: {provider: openai, name: m, base_url: '${url}', api_key: k, params: {max_tokens: 100}}}`;

const mapOver = (url: string, budget: string) => `
graph:
  id: map
  budget: ${budget}
  nodes: [{id: Source, type: passthrough, config: {}}, ${agent(url)}]
  edges: [{from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 1000}}}]
`;

it('never spends more than its budget on 1,000 units at once, over several workers', async () => {
  model = await startFakeProvider({ reply: (turn, n) => ({ ...longestReply(turn), afterMs: n % 40 }) });
  await Promise.all([fleet.startWorker(), fleet.startWorker(), fleet.startWorker()]);
  const limit = 60_000;
  const input = Array.from({ length: 1000 }, (_, unit) => `unit ${unit}`).join('\n');
  const { runs } = fleet.runtime;

  const run = await runs.start({
    workflow: workflowIn(mapOver(model.at('ok'), `{tokens: ${limit}}`), vocabulary),
    input,
  });
  await fleet.until(run, ({ event }) => event.type === 'run.finished');

  expect(answeredTokens(model)).toBeLessThanOrEqual(limit);
  const description = await runs.describe(run);
  expect(description).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
  expect(description?.budget).toMatchObject({ spent: { tokens: answeredTokens(model) }, reserved: { tokens: 0 } });
  // It is used up but for less than what one more call might have taken.
  expect(answeredTokens(model)).toBeGreaterThan(limit - 400);
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
});

it('charges the worst case of a call that was lost with its worker', async () => {
  model = await startFakeProvider({ reply: (turn, n) => (n === 1 ? { silence: true } : longestReply(turn)) });
  const url = model.at('ok');
  const first = await fleet.startWorker();
  const { runs } = fleet.runtime;
  const run = await runs.start({ workflow: workflowIn(mapOver(url, '{tokens: 1000}'), vocabulary), input: 'one' });
  const { event } = await fleet.until(run, (entry) => entry.event.type === 'step.reserved');
  const reserved = event.type === 'step.reserved' ? event.amount.tokens : 0;
  await model.asked(1);
  await first.kill();

  await fleet.startWorker();
  await fleet.until(run, (entry) => entry.event.type === 'run.finished');

  const description = await runs.describe(run);
  expect(description).toMatchObject({ status: 'completed', usage: { calls: 1 } });
  expect(description?.budget).toMatchObject({ lost: { tokens: reserved }, reserved: { tokens: 0 } });
  expect(description?.budget?.spent.tokens).toBe(reserved + 103);
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
});
