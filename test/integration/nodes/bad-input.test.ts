import { defineTool } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Reply } from '../../support/provider/reply.ts';
import type { Turn } from '../../support/provider/turn.ts';
import { objectsOf } from '../../support/provider/turn.ts';
import { freePort } from '../../support/redis/free-port.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const canary = 'sk-canary-of-bad-input';
const calling = (name: string, text: string): Reply => ({ calls: [{ id: 'c', name, arguments: text }] });

/** Replies of the server, by the name of the model. */
const replies: Readonly<Record<string, (turn: Turn) => Reply>> = {
  unknown: () => ({ refuse: 404, message: `no model for ${canary}` }),
  garbage: () => ({ body: '{"choices": [{]' }),
  'other-json': () => ({ body: { hello: 'world' } }),
  huge: () => ({ body: 'x'.repeat(30 * 1024 * 1024) }),
  malformed: ({ messages }) =>
    messages.some(({ text }) => text.includes('was not executed')) ? 'fine' : calling('echo', '{"text": "a'),
  hanging: ({ rounds }) => (rounds > 0 ? 'fine' : calling('hang', '{}')),
};

const server = openBeforeAll(() =>
  startFakeProvider({ reply: (turn) => (healed ? 'fine' : (replies[turn.model]?.(turn) ?? 'fine')) }),
);
let stage: Stage;
let closed = 0;
let healed = false;
beforeAll(async () => {
  closed = await freePort();
  const parameters = z.object({ text: z.string().optional() });
  const tools = [
    defineTool({ name: 'echo', description: 'Says it again.', parameters, execute: ({ text }) => text ?? '' }),
    defineTool({
      name: 'hang',
      description: 'Never returns.',
      parameters,
      execute: () => new Promise<string>(() => undefined),
    }),
  ];
  const secret = (name: string) => (name === 'KEY' ? canary : undefined);
  stage = await openStage({ where: { local: true }, secret, extensions: { tools } });
});
afterAll(async () => {
  await stage.close();
});

interface Bad {
  readonly model: string;
  readonly code: string;
  readonly key?: string;
  readonly url?: () => string;
}

const bad: Readonly<Record<string, Bad>> = {
  'a missing key': { model: 'fine', code: 'SECRET_MISSING', key: '${NOT_SET}' },
  'the password of Redis as a key': { model: 'fine', code: 'SECRET_FORBIDDEN', key: '${REDIS_URL}' },
  'an unknown model': { model: 'unknown', code: 'MODEL_NOT_FOUND' },
  'a refused connection': { model: 'fine', code: 'MODEL_UNREACHABLE', url: () => `http://127.0.0.1:${closed}` },
  'garbage for JSON': { model: 'garbage', code: 'MODEL_BAD_REPLY' },
  'JSON that is no reply': { model: 'other-json', code: 'MODEL_BAD_REPLY' },
  'a reply of 30 MB': { model: 'huge', code: 'MODEL_REPLY_TOO_LARGE' },
};

const workflow = (
  { model, key = '${KEY}', url = () => server.at('ok') }: Omit<Bad, 'code'>,
  onError: string,
  more = '',
) =>
  workflowIn(
    `
graph:
  id: bad
  start: [Before]
  end: [After, A]
  nodes:
    - {id: Before, type: literal, config: {content: what was there before}}
    - id: A
      type: agent
      on_error: ${onError}
      config:
        {provider: openai, name: ${model}, base_url: '${url()}', api_key: '${key}', params: {stream: false}, retry: {max_attempts: 1}${more}}
    - {id: After, type: passthrough, config: {}}
  edges: [{from: Before, to: A}, {from: A, to: After}]
`,
    stage.vocabulary,
  );

describe.each(Object.entries(bad))('%s', (_name, { code, ...how }) => {
  it('ends the activation with its code, and a retry continues the run', async () => {
    healed = false;
    const { description, journal } = await stage.run(workflow(how, 'fail'), 'task');

    expect(description).toMatchObject({ status: 'failed', error: { code, node: 'A' } });
    expect(description.outputs).toEqual({ Before: 'what was there before' });
    const failures = journal.flatMap(({ event }) => (event.type === 'activation.failed' ? [event.error.code] : []));
    expect(failures).toEqual([code]);
    expect(JSON.stringify([description, journal])).not.toContain(canary);
    if (how.model === 'fine') return;
    healed = true;
    await stage.runtime.runs.control(description.run, 'retry');
    await untilEnded(stage.runtime.runs, description.run, description.seen);
    expect(await stage.runtime.runs.describe(description.run)).toMatchObject({ outputs: { After: 'fine' } });
  });

  it('follows on_error', async () => {
    healed = false;
    const text = await stage.run(workflow(how, 'text'), 'task');
    expect(text.description.status).toBe('completed');
    expect(text.description.outputs['After']).toMatch(/^Error calling model/);

    const without = await stage.run(workflow(how, 'continue'), 'task');
    expect(without.description.status).toBe('completed');
    expect(without.description.outputs).not.toHaveProperty('A');
    expect(JSON.stringify([text, without])).not.toContain(canary);
  });
});

describe('an error of a tool', () => {
  it.each([
    [
      'malformed',
      'user',
      'Your call of echo was not executed, as its arguments are not a JSON object. Call again with valid arguments.',
    ],
    ['hanging', 'tool', 'Tool hang error: it did not finish within 0.2 s'],
  ])('is reported to the model, which continues: %s', async (model, from, reported) => {
    healed = false;
    const tooling = ', tooling: [{type: function, config: {timeout: 0.2, tools: [{name: echo}, {name: hang}]}}]';
    const { description } = await stage.run(workflow({ model }, 'fail', tooling), 'task');

    expect(description).toMatchObject({ status: 'completed', outputs: { After: 'fine' } });
    expect(
      server.requests
        .flatMap(({ body }) => objectsOf(body['messages']))
        .filter(({ role }) => role === from)
        .at(-1)?.content,
    ).toBe(reported);
  });
});
