import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { defineTool } from '@millrace/core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit } from '../../support/runs/audit.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

/** Pages of 2,000 tokens: six of them are more than the context. */
const rounds = 7;
const context = 12_000;
const isCleared = (body: unknown) => JSON.stringify(body).includes('was removed to make room');

const fleet = openBeforeEach(openFleet);
const directory = directoryBeforeEach();
const provider = openBeforeEach(() => {
  let isFirst = true;
  return startFakeProvider({
    context,
    reply(turn) {
      // The first request after the conversation was shortened is taken, and never answered.
      if (isFirst && isCleared(turn.body)) {
        isFirst = false;
        return { silence: true };
      }
      return turn.rounds < rounds ? { calls: [{ name: 'read', arguments: { page: turn.rounds } }] } : 'done';
    },
  });
});

const parameters = { type: 'object', properties: { page: { type: 'number' } } };
const extension = `
const execute = ({ page }) => 'page ' + page + 'x'.repeat(8000);
export const extensions = { tools: [{ name: 'read', description: 'Reads.', parameters: ${JSON.stringify(parameters)}, execute }] };
`;

it('shortens a conversation once when a worker is killed between that and the next call', async () => {
  const module = join(directory, 'extension.mjs');
  await writeFile(module, extension);
  const read = defineTool({ name: 'read', description: 'Reads.', parameters: z.object({}), execute: () => '' });
  const vocabulary = createVocabulary({ tools: [read] });
  const config = `{provider: openai, name: house, base_url: '${provider.at('compatible')}', api_key: k, tooling: [{type: function, config: {tools: [{name: read}]}}]}`;
  const workflow = workflowIn(`graph: {id: g, nodes: [{id: A, type: agent, config: ${config}}]}`, vocabulary);
  const variables = { MILLRACE_EXTENSIONS: module };

  const worker = await fleet.startWorker(variables);
  const run = await fleet.runtime.runs.start({ workflow, input: 'go' });
  for (let asked = 1; !provider.requests.some(({ body }) => isCleared(body)); asked++) await provider.asked(asked);
  await worker.kill();
  await fleet.startWorker(variables);
  await fleet.until(run, ({ event }) => event.type === 'run.finished');

  const journal = await fleet.journal(run);
  const begun = journal.flatMap(({ event }) => (event.type === 'step.started' ? [event.name] : []));
  expect(await fleet.runtime.runs.describe(run)).toMatchObject({ status: 'completed', outputs: { A: 'done' } });
  // Beside the refusal, no call is made again but the one that was under way, and that with the same conversation.
  expect(provider.refusals).toHaveLength(1);
  expect(provider.requests).toHaveLength(1 + rounds + 2);
  const shortened = provider.requests.filter(({ body }) => isCleared(body)).map(({ body }) => JSON.stringify(body));
  expect(shortened[1]).toBe(shortened[0]);
  expect(begun.filter((name) => name === 'compact')).toHaveLength(1);
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
});
