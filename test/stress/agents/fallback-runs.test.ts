import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { openStage } from '../../support/runs/stage.ts';
import { sendVendorsToFake } from '../../support/runs/vendors-at-fake.ts';

const provider = openBeforeEach(() =>
  startFakeProvider({
    reply: ({ model }) => (model === 'claude-sonnet-5-5' ? { refuse: 529, message: 'Overloaded' } : 'Done.'),
  }),
);
const stage = openBeforeEach(async () => {
  const opened = await openStage({ where: { local: true }, secret: () => 'key' });
  sendVendorsToFake(opened.vocabulary, provider);
  return opened;
});

it('100 of 100 runs end on another model while the first one is down', async () => {
  const config =
    '{provider: anthropic, name: claude-sonnet-5-5, retry: {max_attempts: 1}, fallback: [{provider: openai, name: gpt-6-sol}]}';
  const workflow = `graph: {id: g, nodes: [{id: A, type: agent, config: ${config}}]}`;

  const ended = await Promise.all(Array.from({ length: 100 }, () => stage.run(workflow, 'go')));

  expect(ended.map(({ description }) => description.outputs)).toEqual(Array(100).fill({ A: 'Done.' }));
  expect(provider.requests).toHaveLength(200);
});
