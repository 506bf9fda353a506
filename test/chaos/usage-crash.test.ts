import { createVocabulary } from '@millrace/catalog';
import type { UsageRow } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../support/fixtures.ts';
import { longestReply } from '../support/provider/longest-reply.ts';
import { startFakeProvider } from '../support/provider/provider.ts';
import { openFleet } from '../support/runs/fleet.ts';
import { workflowIn } from '../support/runs/stage.ts';

const vocabulary = createVocabulary();

const fleet = openBeforeEach(openFleet);
const model = openBeforeEach(() =>
  startFakeProvider({ reply: (turn, n) => ({ ...longestReply(turn), afterMs: 5 + (n % 20) }) }),
);

const asking = (url: string) => `
graph:
  id: asking
  budget: {tokens: 1000000}
  prices: {m: {input: 3, output: 7}}
  nodes:
    - {id: Source, type: passthrough, config: {}}
    - {id: Each, type: agent, config: {provider: openai, name: m, base_url: '${url}', api_key: k, params: {max_tokens: 100}}}
  edges: [{from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 8}}}]
`;

it('counts every call, every run and every lost call once in the usage by day, however often workers are killed', async () => {
  const { runs, store } = fleet.runtime;
  const workflow = workflowIn(asking(model.at('ok')), vocabulary);
  const input = Array.from({ length: 12 }, (_, unit) => `unit ${unit}`).join('\n');
  const from = store.now();
  let workers = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  const started = await Promise.all(Array.from({ length: 8 }, () => runs.start({ workflow, input })));
  for (const asked of [30, 60]) {
    await model.asked(asked + 1);
    await Promise.all(workers.map((worker) => worker.kill()));
    workers = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  }
  for (const run of started) await fleet.until(run, ({ event }) => event.type === 'run.finished');

  const described = await Promise.all(started.map((run) => runs.describe(run)));
  const sum = (of: 'calls' | 'promptTokens' | 'completionTokens' | 'microUsd'): number =>
    described.reduce((total, one) => total + (one?.usage[of] ?? 0), 0);
  const days = [...new Set([from, store.now()].map((at) => new Date(at).toISOString().slice(0, 10)))];
  const rows = (await store.usage.read('default', days)).flat();
  const total = (of: keyof UsageRow['numbers']): number =>
    rows.reduce((counted, { numbers }) => counted + (numbers[of] ?? 0), 0);

  expect(sum('calls')).toBe(8 * 12);
  expect(model.requests.length).toBeGreaterThan(8 * 12);
  for (const of of ['calls', 'promptTokens', 'completionTokens', 'microUsd'] as const) expect(total(of)).toBe(sum(of));
  expect(total('completed')).toBe(8);
  const lost = described.map((one) => one?.budget?.lost ?? { tokens: 0, microUsd: 0 });
  expect(total('lostTokens')).toBe(lost.reduce((tokens, one) => tokens + one.tokens, 0));
  expect(total('lostMicroUsd')).toBe(lost.reduce((microUsd, one) => microUsd + one.microUsd, 0));
  expect(total('lostTokens')).toBeGreaterThan(0);
  const rowsOfModel = rows.filter(({ model: asked }) => asked === 'm');
  expect(rowsOfModel.reduce((sum, { numbers }) => sum + (numbers.lostTokens ?? 0), 0)).toBe(total('lostTokens'));
  expect(new Set(rows.map(({ workflow: name, model: asked }) => `${name}/${asked}`))).toEqual(
    new Set(['asking/m', 'asking/']),
  );
}, 120_000);
