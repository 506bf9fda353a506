import { createVocabulary } from '@millrace/catalog';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();

const stage = openBeforeAll(() => openStage({ where: { local: true }, secret: () => 'key' }));
const model = openBeforeAll(() => startFakeProvider({ reply: () => 'here' }));

const metadata = 'http://169.254.169.254/latest';
const modelAt = (provider: string, url: string) => `{provider: ${provider}, name: m, base_url: '${url}', api_key: k}`;
const agent = (config: string, more = '') => `graph: {id: g, ${more}nodes: [{id: A, type: agent, config: ${config}}]}`;
const remembering = (store: string) =>
  agent(
    `{provider: scripted, name: m, params: {default: hello}, memories: [{name: notes, read: true, write: true}]}`,
    `memory: [{name: notes, ${store}}], `,
  );

const places: Readonly<Record<string, string>> = {
  'an OpenAI model': agent(modelAt('openai', metadata)),
  'an Anthropic model': agent(modelAt('anthropic', metadata)),
  'a Gemini model': agent(modelAt('gemini', metadata)),
  'an embedding': remembering(
    `type: simple, config: {embedding: {provider: openai, model: m, api_key: k, base_url: '${metadata}'}}`,
  ),
  mem0: remembering(`type: mem0, config: {api_key: k, base_url: '${metadata}'}`),
  'an MCP server': agent(
    `{provider: scripted, name: m, params: {default: hello}, tooling: [{type: mcp_remote, config: {server: '${metadata}'}}]}`,
  ),
};

describe('a forbidden address', () => {
  it.each(Object.entries(places))('is not connected to as that of %s', async (_place, yaml) => {
    const { description } = await stage.run(yaml, 'task');

    expect(description).toMatchObject({ status: 'failed', error: { code: 'ADDRESS_REFUSED', node: 'A' } });
  });

  it('is this machine, for runs of tenants', async () => {
    const workflow = workflowIn(agent(modelAt('openai', model.at('ok'))), vocabulary);
    const { runs } = stage.runtime;
    const before = model.requests.length;
    const run = await runs.start({ workflow, input: 'task', run: 'acme~run_1' });
    await untilEnded(runs, run);

    expect(await runs.describe(run)).toMatchObject({ status: 'failed', error: { code: 'ADDRESS_REFUSED' } });
    expect(model.requests).toHaveLength(before);
  });

  it('is not this machine, for all others', async () => {
    const { description } = await stage.run(agent(modelAt('openai', model.at('ok'))), 'task');

    expect(description).toMatchObject({ status: 'completed', outputs: { A: 'here' } });
  });
});
