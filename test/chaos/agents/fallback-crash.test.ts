import { createVocabulary } from '@millrace/catalog';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit } from '../../support/runs/audit.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const fleet = openBeforeEach(openFleet);
const provider = openBeforeEach(() => startFakeProvider());

const workflow = () =>
  workflowIn(
    `graph:
  id: g
  nodes:
    - id: A
      type: agent
      config:
        provider: openai
        name: first
        base_url: ${provider.at('ok')}
        api_key: k
        retry: {max_attempts: 2, min_wait_seconds: 0, max_wait_seconds: 0}
        fallback: [{provider: openai, name: second, base_url: '${provider.at('ok')}', api_key: k}]
        thinking: {type: reflection, config: {reflection_prompt: Better.}}
`,
    vocabulary,
  );

const busy = { refuse: 503, message: 'Down' };

it.each([
  ['the first model', 'first', 2, { first: [busy, { silence: true }, busy], second: ['one', 'two'] }],
  ['the model in its place', 'second', 1, { first: [busy, busy], second: [{ silence: true }, 'one', 'two'] }],
  ['its next call', 'second', 2, { first: [busy, busy], second: ['one', { silence: true }, 'two'] }],
] as const)(
  'makes no call twice but the one in flight when its worker is killed in a call of %s',
  async (_what, model, at, replies) => {
    provider.say('first', ...replies.first);
    provider.say('second', ...replies.second);

    const worker = await fleet.startWorker();
    const run = await fleet.runtime.runs.start({ workflow: workflow(), input: 'go' });
    await provider.asked(at, model);
    await worker.kill();
    await fleet.startWorker();
    await fleet.until(run, ({ event }) => event.type === 'run.finished');

    const description = await fleet.runtime.runs.describe(run);
    expect(description?.error).toBeUndefined();
    expect(description).toMatchObject({ status: 'completed', outputs: { A: 'two' } });
    expect(provider.requests.map((request) => request.model)).toEqual([
      ...replies.first.map(() => 'first'),
      ...replies.second.map(() => 'second'),
    ]);
    expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
  },
);
