import type { RunId } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { createTenantRuntime } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBeforeAll, openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Turn } from '../../support/provider/turn.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { idleRun } from '../../support/runs/replay-stage.ts';
import { openStage } from '../../support/runs/stage.ts';

/** Tokens that every model of the provider takes, four bytes each. */
const context = 20_000;
const pageBytes = 8000;
const rounds = 14;

const read = defineTool<{ page: number }>({
  name: 'read',
  description: 'Reads a page.',
  parameters: z.object({ page: z.number() }),
  execute: ({ page }) => `page ${page}: ${'x'.repeat(pageBytes)}`,
});
const dump = defineTool({
  name: 'dump',
  description: 'Reads everything.',
  parameters: z.object({}),
  execute: () => 'y'.repeat(5 * context),
});

/** A model that reads pages, one in each round; where no tool may be called it says what it has been asked for. */
const model = openBeforeEach(async () => {
  let page = 0;
  const next = (turn: Turn) => {
    const isSummary = turn.messages.at(-1)?.text.includes('Summarise') === true;
    if (isSummary) return { text: `Read up to page ${page}.` };
    return page < rounds ? { calls: [{ name: 'read', arguments: { page: ++page } }] } : { text: `read ${page} pages` };
  };
  return startFakeProvider({ context, reply: next });
});
const stage = openBeforeAll(() =>
  openStage({ where: { local: true }, secret: () => 'key', extensions: { tools: [read, dump] } }),
);

const update = (tokens: number) =>
  stage.runtime.models.update(
    {
      source: 'a list',
      dated: '2026-11-27',
      models: { known: { context: tokens, price: { input: 1, output: 1 } } },
    },
    { acceptDrops: true },
  );

const local = (name: string) => ({ provider: 'openai', name, base_url: model.at('compatible') });
const workflow = (config: object, fields = '') => {
  const written = { api_key: 'k', params: { tool_loop_limit: 100 }, ...tooling('read'), ...config };
  return `graph:\n  id: g\n${fields}  nodes: [{id: A, type: agent, config: ${JSON.stringify(written)}}]\n  edges: []\n`;
};
const tooling = (name: string) => ({ tooling: [{ type: 'function', config: { tools: [{ name }] } }] });

/** Texts of the last request. */
const lastTexts = () => JSON.stringify(model.requests.at(-1)?.body);
const compactions = async (run: RunId) =>
  (await journalOf(stage.runtime.store, run)).filter(
    ({ event }) => event.type === 'step.started' && event.name === 'compact',
  ).length;

describe('a conversation with tools that is longer than the context of its model', () => {
  it('never exceeds it: the oldest results become lines, a quarter of the context at once', async () => {
    await update(context);
    const { description, executions } = await stage.run(workflow(local('known')), 'go');

    expect(description).toMatchObject({ status: 'completed', outputs: { A: `read ${rounds} pages` } });
    expect(model.refusals).toEqual([]);
    expect(model.requests).toHaveLength(rounds + 1);
    expect(lastTexts()).toContain('The result of read, 8008 characters, was removed to make room.');
    expect(lastTexts()).toContain(`page ${rounds}: x`);
    // A page has 2,000 tokens: three of them are more than a quarter.
    expect(await compactions(description.run)).toBeLessThanOrEqual(rounds / 3);
    // Nothing is lost: neither the trace of the output nor the journal.
    const trace = JSON.stringify((await executions('A'))[0]?.[0]?.metadata);
    for (let page = 1; page <= rounds; page++) expect(trace).toContain(`page ${page}: x`);
    expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  });

  it('comes to the same in replays and forks without a call, also when the table of models has changed', async () => {
    await update(context);
    const { description } = await stage.run(workflow(local('known')), 'go');
    const asked = model.requests.length;
    await update(50 * context);

    const { runs } = stage.runtime;
    const replay = await idleRun(runs, await runs.replay(description.run));
    const reuse = await idleRun(runs, await runs.replay(description.run, { mode: 'reuse' }));

    for (const again of [replay, reuse])
      expect(again).toMatchObject({ status: 'completed', outputs: description.outputs, usage: { calls: 0 } });
    expect(model.requests).toHaveLength(asked);
    expect(await compactions(replay.run)).toBe(await compactions(description.run));
  });

  it('is shown among the calls of the activation, with what was cleared', async () => {
    await update(context);
    const { description } = await stage.run(workflow(local('known')), 'go');
    const run = createTenantRuntime(stage.runtime, 'default').run(description.run);
    const call = (step: number) => run.call({ activation: 'a1', step });
    const step = (await run.calls('a1'))?.find(({ name }) => name === 'compact')?.step ?? -1;
    const next = await call(step + 1);

    expect((await call(step))?.text).toMatch(
      /^The next request had about \d+ tokens, and the context of the model 20000\. Cleared the results of:\n- call 1, read: about \d+ tokens\n/,
    );
    expect(next?.request?.messages.map(({ text }) => text).slice(0, 3)).toEqual([
      'go',
      '',
      expect.stringMatching(/^\[The result of read, 8008 characters, was removed/),
    ]);
  });

  it('is shortened when the provider refuses it, where the context is not known', async () => {
    const { description } = await stage.run(workflow(local('unknown')), 'go');

    expect(description).toMatchObject({ status: 'completed', outputs: { A: `read ${rounds} pages` } });
    // What was refused is known from then on.
    expect(model.refusals).toHaveLength(1);
    const replay = await idleRun(stage.runtime.runs, await stage.runtime.runs.replay(description.run));
    expect([replay.outputs, replay.usage.calls]).toEqual([description.outputs, 0]);
  });

  it('becomes a summary where the author wants that, which is a call like any other', async () => {
    await update(context);
    const config = {
      ...local('known'),
      context: JSON.parse('{"clear":"none","then":"summarize","summarizer":{"name":"short"}}'),
    };
    const { description } = await stage.run(workflow(config, '  budget: {tokens: 2000000}\n'), 'go');
    const summaries = model.requests.filter((request) => request.model === 'short');

    expect(description).toMatchObject({ status: 'completed', outputs: { A: `read ${rounds} pages` } });
    expect(summaries.length).toBeGreaterThan(2);
    expect(lastTexts()).toMatch(/A summary of the conversation so far[^"]*Read up to page \d+\./);
    expect(description.usage.calls).toBe(model.requests.length);
    expect(description.budget?.spent.tokens).toBe(
      model.bill.lines.reduce((sum, { usage }) => sum + usage.input + usage.output, 0),
    );
    expect(model.refusals).toEqual([]);
    const replay = await idleRun(stage.runtime.runs, await stage.runtime.runs.replay(description.run));
    expect([replay.outputs, replay.usage.calls]).toEqual([description.outputs, 0]);
  });

  it.each(['known', 'unknown'])('fails when nothing more can be left out, with a context that is %s', async (name) => {
    await update(context);
    model.say(name, { calls: [{ name: 'dump', arguments: {} }] });
    const { description } = await stage.run(workflow({ ...local(name), ...tooling('dump') }), 'go');

    expect([description.status, description.error?.code]).toEqual(['failed', 'MODEL_CONTEXT_FULL']);
    expect(model.refusals.length).toBeGreaterThan(0);
  });

  it('stays whole under `compat: chatdev`', async () => {
    await update(context);
    const { description } = await stage.run(workflow(local('known'), '  compat: chatdev\n'), 'go');

    // In the original engine the text of an error is the output.
    expect(description.outputs['A']).toContain('The conversation is longer than the context of the model');
    expect(lastTexts()).not.toContain('was removed to make room');
  });
});
