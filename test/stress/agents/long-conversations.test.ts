import type { RunId } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { modelNames, typedModels } from '../../support/runs/typed-agents.ts';

const read = defineTool<{ page: number; size: number }>({
  name: 'read',
  description: 'Reads a page.',
  parameters: z.object({ page: z.number(), size: z.number() }),
  execute: ({ page, size }) => `page ${page}: ${'x'.repeat(size)}`,
});
const stage = openBeforeAll(() =>
  openStage({ where: { local: true }, secret: () => 'key', extensions: { tools: [read] } }),
);

const workflow = (config: object) => {
  const tooling = [{ type: 'function', config: { tools: [{ name: 'read' }] } }];
  return `graph: {id: g, nodes: [{id: A, type: agent, config: ${JSON.stringify({ api_key: 'k', tooling, ...config })}}]}`;
};

/** Waits for the end of a run, and returns it. */
async function ended(run: RunId) {
  const { runs } = stage.runtime;
  for await (const _entry of runs.watch(run, '0', AbortSignal.timeout(600_000)));
  return runs.describe(run);
}
const run = async (config: object) =>
  ended(await stage.runtime.runs.start({ workflow: workflowIn(workflow(config), stage.vocabulary), input: 'go' }));

/** A model that reads so many pages, one in each round; `context` is that of all its models. */
async function openReader(pages: number, size: number, context?: number) {
  let page = 0;
  return startFakeProvider({
    ...(context === undefined ? {} : { context }),
    reply: () =>
      page < pages ? { calls: [{ name: 'read', arguments: { page: ++page, size } }] } : { text: `read ${page} pages` },
  });
}

describe('a conversation of 200 rounds with results of 50 KB', () => {
  const rounds = 200;
  const provider = openBeforeAll(() => openReader(rounds, 50_000));

  it('never exceeds the context of its model, is stored without repetition, and is replayed without a call', async () => {
    const model = { provider: 'anthropic', name: 'claude-haiku-4-5', base_url: provider.at('anthropic') };
    const first = await run({ ...model, params: { tool_loop_limit: 300 } });

    expect(first).toMatchObject({ status: 'completed', outputs: { A: `read ${rounds} pages` } });
    expect([provider.refusals, provider.requests.length]).toEqual([[], rounds + 1]);
    const { runs, store } = stage.runtime;
    const journal = await journalOf(store, first?.run ?? '');
    const asked = journal.filter(({ event }) => event.type === 'step.started');
    // Beside the results and the trace: the descriptions of requests, of some hundred bytes for each call.
    expect(JSON.stringify(asked).length).toBeLessThan(rounds * 2 * 1000);
    const replay = await ended(await runs.replay(first?.run ?? ''));
    expect(replay).toMatchObject({ status: 'completed', outputs: first?.outputs, usage: { calls: 0 } });
    expect(provider.requests).toHaveLength(rounds + 1);
    expect(await audit(store, first?.run ?? '', stage.vocabulary)).toEqual([]);
  });
});

describe('a conversation that a vendor refuses as too long', () => {
  it.each(modelNames)('is shortened and goes on: %s', async (name) => {
    const provider = await openReader(30, 8000, 20_000);
    const { at, params, ...named } = { params: {}, ...typedModels[name] };
    const description = await run({
      ...named,
      base_url: provider.at(at),
      params: { ...params, tool_loop_limit: 100 },
    });
    const { refusals } = provider;
    await provider.close();

    expect(description).toMatchObject({ status: 'completed', outputs: { A: 'read 30 pages' } });
    expect(refusals).toHaveLength(1);
  });
});
