import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { FakeProvider } from '../../support/provider/provider.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Reply } from '../../support/provider/reply.ts';
import { openStage } from '../../support/runs/stage.ts';
import { entriesOf, untilEnded } from '../../support/runs/watching.ts';

const stage = openBeforeAll(() => openStage({ where: { local: true }, secret: () => 'key' }));
let server: FakeProvider | undefined;
beforeAll(async () => {
  stage.runtime.startCaretaker();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const scripted = (id: string, script: unknown, more = '') =>
  `{id: ${id}, type: agent, ${more}config: {provider: scripted, name: m, retry: {enabled: false}, params: ${JSON.stringify(script)}}}`;
const broken = { default: { error: { type: 'BadRequestError', status: 400, message: 'no such thing' } } };
const slow = { default: { text: 'late', delay_ms: 60_000 } };
const says = (text: string) => ({ default: { text } });

const document = (writer: string) => `graph:
  id: g
  start: [Writer]
  end: [Fallback, Final]
  nodes:
    - ${writer}
    - ${scripted('Fallback', says('fallback'))}
    - ${scripted('Final', says('final'))}
  edges:
    - {from: Writer, to: Fallback, condition: error}
    - {from: Writer, to: Final}
`;

const run = (text: string) => stage.run(text, 'task');

describe('an edge for errors', () => {
  it('is taken when the node fails, with the reason, and no other edge is', async () => {
    const { description } = await run(document(scripted('Writer', broken)));

    expect(description).toMatchObject({ status: 'completed', outputs: { Fallback: 'fallback' } });
    expect(description.outputs).not.toHaveProperty('Final');
    expect(description.outputs['Writer']).toContain('no such thing');
  });

  it('is not taken when the node does not fail', async () => {
    const { description } = await run(document(scripted('Writer', says('text'))));

    expect(description.outputs).toEqual({ Writer: 'text', Final: 'final' });
  });
});

describe('the timeout of a node', () => {
  it('fails it, which its error edge can catch', async () => {
    const { description } = await run(document(scripted('Writer', slow, 'timeout: 0.2, ')));

    expect(description).toMatchObject({ status: 'completed', outputs: { Fallback: 'fallback' } });
    expect(description.outputs['Writer']).toContain('took longer than its 0.2 seconds');
  });

  it('fails the run when nothing catches it, and a retry executes it again', async () => {
    const text = `graph: {id: g, nodes: [${scripted('Writer', slow, 'timeout: 0.1, ')}]}`;
    const { description } = await run(text);
    expect(description).toMatchObject({ status: 'failed', error: { code: 'NODE_TIMEOUT', node: 'Writer' } });

    await stage.runtime.runs.control(description.run, 'retry');
    let ended = 0;
    for await (const { event } of entriesOf(stage.runtime.runs, description.run))
      if (event.type === 'run.finished') ended++;

    expect(ended).toBe(2);
  });
});

describe('a postponed model call', () => {
  const busy: Reply = { refuse: 503, message: 'busy' };
  const agent = (url: string) =>
    `graph: {id: g, nodes: [{id: A, type: agent, config: {provider: openai, name: m, base_url: "${url}", api_key: k, retry: {max_attempts: 2, min_wait_seconds: 1.2, max_wait_seconds: 1.2}}}]}`;

  it('occupies no worker meanwhile', async () => {
    server = await startFakeProvider({ reply: (_turn, n) => (n === 1 ? busy : 'at last') });

    const { description, journal } = await run(agent(server.at('ok')));

    expect(description).toMatchObject({ status: 'completed', outputs: { A: 'at last' } });
    expect(journal.map(({ event }) => event.type)).toContain('activation.postponed');
    expect(server.requests).toHaveLength(2);
  });

  it('is repeated by a retry, as often as the first time', async () => {
    server = await startFakeProvider({ reply: (_turn, n) => (n <= 2 ? busy : 'at last') });
    const { description } = await run(agent(server.at('ok')));
    expect(description.status).toBe('failed');

    await stage.runtime.runs.control(description.run, 'retry');
    await untilEnded(stage.runtime.runs, description.run);

    expect(await stage.runtime.runs.describe(description.run)).toMatchObject({ outputs: { A: 'at last' } });
    expect(server.requests).toHaveLength(3);
  });
});
