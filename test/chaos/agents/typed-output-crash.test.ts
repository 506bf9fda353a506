import { createVocabulary } from '@millrace/catalog';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit } from '../../support/runs/audit.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const fleet = openBeforeEach(openFleet);
const provider = openBeforeEach(() => startFakeProvider({}));

const schema = { type: 'object', properties: { verdict: { enum: ['accept', 'revise'] } }, required: ['verdict'] };

// Without a budget the answer is stored with the beginning of the repair, and with one before that.
it.each([
  { provider: 'openai', name: 'gpt-5.1', at: 'openai', budget: '' },
  { provider: 'anthropic', name: 'claude-sonnet-5-5', at: 'anthropic', budget: 'budget: {usd: 5}, ' },
])(
  'asks for a repair once more, and never again for the answer, when a worker is killed between them: %j',
  async ({ at, budget, ...named }) => {
    provider.say(named.name, 'Accepted!', { silence: true }, '{"verdict": "accept"}');
    const config = JSON.stringify({ ...named, base_url: provider.at(at), api_key: 'k', output: { schema } });
    const text = `graph: {id: typed, ${budget}nodes: [{id: A, type: agent, config: ${config}}]}`;

    const worker = await fleet.startWorker();
    const run = await fleet.runtime.runs.start({ workflow: workflowIn(text, vocabulary), input: 'go' });
    await provider.asked(2);
    await worker.kill();
    await fleet.startWorker();
    await fleet.until(run, ({ event }) => event.type === 'run.finished');

    expect(await fleet.runtime.runs.describe(run)).toMatchObject({
      status: 'completed',
      outputs: { A: '{"verdict":"accept"}' },
    });
    const asked = provider.requests.map(({ body }) => JSON.stringify(body));
    expect(asked.map((body) => body.includes('does not match the required JSON Schema'))).toEqual([false, true, true]);
    expect(asked[2]).toBe(asked[1]);
    expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
  },
);
