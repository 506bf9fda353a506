import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { tokensOf } from '@millrace/core/usage';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { textsOf } from '../../support/provider/listing.ts';
import type { FakeProvider } from '../../support/provider/provider.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Refusal } from '../../support/provider/rules/refusal.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf, untilEnded } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();
/** Tokens that each text counts for the server. */
const perText = 5;
let refuse: () => Refusal | undefined = () => undefined;
/** Tokens that the server reports for a number of texts. */
let reported: (texts: number) => number = (texts) => perText * texts;

const server: FakeProvider = openBeforeAll(() =>
  startFakeProvider({
    embed(texts) {
      const data = texts.map((text, index) => ({ index, embedding: [text.length, 1] }));
      const tokens = reported(texts.length);
      return refuse() ?? { body: { data, usage: { prompt_tokens: tokens, total_tokens: tokens } } };
    },
  }),
);
const directory = directoryBeforeAll();
const stage = openBeforeAll(() =>
  openStage({
    where: { local: true },
    secret: () => undefined,
    outbound: ['127.0.0.1'],
    memoryFiles: [directory],
  }),
);
beforeAll(async () => {
  stage.runtime.startCaretaker();
});
beforeEach(() => {
  refuse = () => undefined;
  reported = (texts) => perText * texts;
});

const asked = (from: number) => server.requests.slice(from).map(({ body }) => textsOf(body));
const workflow = (id: string, more: string, store = 'type: simple, config: {') =>
  workflowIn(
    `
graph:
  id: ${id}
  ${more}
  memory: [{name: notes, ${store}embedding: {provider: openai, model: emb, base_url: '${server.at('ok')}', api_key: ${id}}}}]
  nodes:
    - id: A
      type: agent
      config: {provider: scripted, name: m, params: {default: hello}, memories: [{name: notes, read: true, write: true, similarity_threshold: 0}]}
`,
    vocabulary,
  );

describe('embeddings of a server', () => {
  it('count in the usage of their node and run, at the price of their model', async () => {
    const prices = 'prices: {emb: {input: 2, output: 0}}';
    const { description } = await stage.run(workflow('counting', prices), 'a task');

    // Remembering takes one; there is nothing yet to be found.
    expect(description.usageByNode['A']).toMatchObject({ calls: 2, microUsd: 2 * perText });
    const again = await stage.run(workflow('counting', prices), 'another task');
    expect(again.description.usageByNode['A']).toMatchObject({ calls: 3, microUsd: 4 * perText });
  });

  it('are requested only when the budget covers their worst case', async () => {
    const before = server.requests.length;
    const { description } = await stage.run(
      workflow('poor', 'budget: {tokens: 40}'),
      'a task of more than forty bytes',
    );
    expect(description).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
    expect(server.requests).toHaveLength(before);

    await stage.runtime.runs.resume(description.run, [], { budget: { tokens: 10_000 } });
    await untilEnded(stage.runtime.runs, description.run, description.seen);

    const ended = await stage.runtime.runs.describe(description.run);
    expect(ended).toMatchObject({ status: 'completed', budget: { reserved: { tokens: 0 }, lost: { tokens: 0 } } });
    expect(ended?.budget?.spent.tokens).toBe(tokensOf(ended?.usage));
  });

  it.each([-1_000_000, 0.5, 1e15])(
    'are charged their worst case where the server reports %d tokens',
    async (tokens) => {
      reported = () => tokens;
      const settings = 'budget: {tokens: 10000, usd: 1}\n  prices: {emb: {input: 2, output: 0}}';

      const { description } = await stage.run(workflow(`reports ${tokens}`, settings), 'a task');

      // The usage is that of the agent alone, whose script costs nothing.
      expect(description).toMatchObject({ status: 'completed', usage: { promptTokens: 2, completionTokens: 1 } });
      const charged = (description.budget?.spent.tokens ?? 0) - 3;
      expect([charged > 2 * 'hello'.length, charged < 200]).toEqual([true, true]);
      expect(description.budget?.spent.microUsd).toBe(2 * charged);
    },
  );

  it('require a price where the budget is in dollars', async () => {
    const { description } = await stage.run(workflow('priceless', 'budget: {usd: 1}'), 'a task');

    expect(description).toMatchObject({ status: 'failed', error: { code: 'PRICE_UNKNOWN' } });
  });

  it('obey rate limits, without occupying a worker', async () => {
    const limits = 'rate_limits: [{name: emb, requests_per_minute: 1}]';
    await stage.run(workflow('limited', limits), 'a task');
    const run = await stage.runtime.runs.start({ workflow: workflow('limited', limits), input: 'another task' });
    const { runs } = stage.runtime;
    let seen = '';
    for await (const { event } of entriesOf(runs, run)) {
      seen = event.type;
      if (seen === 'activation.postponed') break;
    }

    expect(seen).toBe('activation.postponed');
    await runs.cancel(run, 'enough seen');
  });

  it('cost nothing when they are refused, and are repeated when that can help', async () => {
    const before = server.requests.length;
    refuse = () => (server.requests.length === before + 1 ? { refuse: 503, message: 'busy' } : undefined);
    const { description } = await stage.run(workflow('busy', 'budget: {tokens: 10000}'), 'a task');

    expect(description).toMatchObject({
      status: 'completed',
      budget: { lost: { tokens: 0 }, reserved: { tokens: 0 } },
    });
    expect(asked(before)).toHaveLength(2);
  });
});

describe('an index of files', () => {
  it('is embedded request by request, and a retry repeats no completed request', async () => {
    const file = join(directory, 'many.txt');
    await writeFile(
      file,
      Array.from({ length: 250 }, (_, at) => `Paragraph ${at} ${'says something. '.repeat(30)}`).join('\n\n'),
    );
    const indexing = workflow('indexing', '', `type: file, config: {file_sources: [{path: '${file}'}], `);
    const before = server.requests.length;
    refuse = () => (server.requests.length === before + 2 ? { refuse: 400, message: 'no' } : undefined);
    const { description } = await stage.run(indexing, 'Paragraph 7');
    expect(description).toMatchObject({ status: 'failed', error: { code: 'MEMORY_EMBEDDING_FAILED' } });

    refuse = () => undefined;
    await stage.runtime.runs.control(description.run, 'retry');
    await untilEnded(stage.runtime.runs, description.run, description.seen);

    expect(await stage.runtime.runs.describe(description.run)).toMatchObject({ status: 'completed' });
    const texts = asked(before);
    expect(texts.every((some) => some.length <= 96)).toBe(true);
    const embedded = texts.filter((_, at) => at !== 1).flat();
    expect(new Set(embedded).size).toBe(embedded.length);
    expect(embedded.length).toBeGreaterThan(200);
  });

  it('is embedded separately for each tenant, and once for all runs of one', async () => {
    const file = join(directory, 'one.txt');
    await writeFile(file, 'A passage that all of them have.');
    const indexing = workflow('shared', '', `type: file, config: {file_sources: [{path: '${file}'}], `);
    const before = server.requests.length;
    for (const tenant of ['default', 'acme', 'acme']) {
      const run = await stage.runtime.runs.start({ workflow: indexing, input: 'passage', tenant });
      await untilEnded(stage.runtime.runs, run);
      expect(await stage.runtime.runs.describe(run)).toMatchObject({ status: 'completed' });
    }

    expect(asked(before).filter(([text]) => text?.startsWith('A passage'))).toHaveLength(2);
  });
});
