import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { defineTool } from '@millrace/core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { startJsonServer } from '../../support/http/json-server.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit } from '../../support/runs/audit.ts';
import { billedMicroUsd } from '../../support/runs/billed-workflow.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const save = defineTool({
  name: 'save',
  description: 'Saves a text.',
  parameters: z.object({ text: z.string() }),
  execute: () => '',
});
const vocabulary = createVocabulary({ tools: [save] });
const model = 'claude-haiku-5-5';

const fleet = openBeforeEach(openFleet);
const provider = openBeforeEach(() => startFakeProvider({}));
const service = openBeforeEach(async () => {
  const saved: unknown[] = [];
  const server = await startJsonServer(({ body }) => {
    saved.push(body);
    return { body: 'saved' };
  });
  return { ...server, saved };
});
const directory = directoryBeforeEach();

const extension = (url: string) => `
const execute = async (given) => (await fetch('${url}', { method: 'POST', body: JSON.stringify(given) })).text();
const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
export const extensions = { tools: [{ name: 'save', description: 'Saves a text.', parameters, execute }] };
`;

it('executes no call of a cut reply when a worker is killed before the retry has its result, and bills it right', async () => {
  const module = join(directory, 'extension.mjs');
  await writeFile(module, extension(service.url));
  provider.say(
    model,
    { calls: [{ name: 'save', arguments: { text: 'the first ha' } }], end: 'length' },
    { silence: true },
    { calls: [{ name: 'save', arguments: { text: 'the first half, and the second' } }] },
    { text: 'All is saved.' },
  );
  const config = `{provider: anthropic, name: ${model}, base_url: '${provider.at('anthropic')}', api_key: k, tooling: [{type: function, config: {tools: [{name: save}]}}]}`;
  const workflow = workflowIn(
    `graph:
  id: cut
  budget: {usd: 1}
  nodes: [{id: A, type: agent, config: ${config}}]
`,
    vocabulary,
  );

  const worker = await fleet.startWorker({ MILLRACE_EXTENSIONS: module });
  const run = await fleet.runtime.runs.start({ workflow, input: 'save it' });
  await provider.asked(2);
  await worker.kill();
  await fleet.startWorker({ MILLRACE_EXTENSIONS: module });
  await fleet.until(run, ({ event }) => event.type === 'run.finished');

  const description = await fleet.runtime.runs.describe(run);
  const journal = await fleet.journal(run);
  const reserved = journal.flatMap(({ event }) => (event.type === 'step.reserved' ? [event.amount.microUsd] : []));
  expect(description).toMatchObject({ status: 'completed', outputs: { A: 'All is saved.' }, usage: { calls: 3 } });
  expect(service.saved).toEqual([{ text: 'the first half, and the second' }]);
  // The cut reply, its retry once more after the crash, and the end: no request beside these.
  expect(provider.requests).toHaveLength(4);
  const { budget, usage } = description ?? {};
  expect(usage?.microUsd).toBe(billedMicroUsd(provider));
  expect(budget?.lost.microUsd).toBe(reserved[1]);
  expect(budget?.spent.microUsd).toBe((usage?.microUsd ?? 0) + (budget?.lost.microUsd ?? 0));
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
});
