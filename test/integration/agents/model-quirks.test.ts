import { defineTool } from '@millrace/core';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { openStage } from '../../support/runs/stage.ts';

/* What servers in the field do differently, each streamed and whole: how a run ends, and which calls are executed. */

const saved: string[] = [];
afterEach(() => {
  saved.length = 0;
});

const fake = openBeforeAll(() => startFakeProvider());
const stage = openBeforeAll(() => {
  const save = defineTool<{ path: string; content: string }>({
    name: 'save_file',
    description: 'Saves a file.',
    parameters: z.object({ path: z.string(), content: z.string() }),
    execute({ path }) {
      saved.push(path);
      return 'saved';
    },
  });
  return openStage({ where: { local: true }, secret: () => 'key', extensions: { tools: [save] } });
});

const models = { openai: 'm', anthropic: 'claude-sonnet-5-5', gemini: 'gemini-3.5-flash' } as const;
const retry = { max_attempts: 2, min_wait_seconds: 0, max_wait_seconds: 0 };
const tooling = [{ type: 'function', config: { tools: [{ name: 'save_file' }] } }];

interface AgentOptions {
  readonly provider?: keyof typeof models;
  readonly config?: object;
  readonly params?: object;
  readonly compat?: true;
}

/** Runs an agent whose model has a quirk. */
async function run(quirk: string, { provider = 'openai', config = {}, params = {}, compat }: AgentOptions = {}) {
  const before = fake.requests.length;
  const agent = {
    provider,
    name: models[provider],
    base_url: provider === 'openai' ? fake.at(quirk) : fake.at(provider, quirk),
    api_key: 'sk-secret-key',
    tooling,
    retry,
    params,
    ...config,
  };
  const nodes = [{ id: 'A', type: 'agent', config: agent }];
  const text = JSON.stringify({ graph: { id: 'g', ...(compat && { compat: 'chatdev' }), nodes, edges: [] } });
  const { description } = await stage.run(text, 'hi');
  return {
    status: description.status,
    text: description.output?.content,
    code: description.error?.code,
    message: description.error?.message ?? '',
    warnings: description.warnings.latest.map(({ code }) => code),
    requests: fake.requests.length - before,
    saved: [...saved],
  };
}

const limited = { params: { max_tokens: 256 } };
const both = (params: object) => [params, { ...params, stream: false }];
/** A case for a stream, and one for a whole reply. */
const each = <Expected>(rows: readonly (readonly [quirk: string, options: AgentOptions, expected: Expected])[]) =>
  rows.flatMap(([quirk, options, expected]) =>
    both(options.params ?? {}).map((params) => [quirk, { ...options, params }, expected] as const),
  );

describe('a server that calls tools in its own way', () => {
  const done = { status: 'completed', text: 'Done.', warnings: [] };
  const two = { ...done, saved: ['a.txt', 'b.txt'] };
  const one = { ...done, saved: ['a.txt'] };
  it.each(
    each([
      ['index0', {}, two],
      ['index1', {}, two],
      ['noindexnoid', {}, two],
      ['noid', {}, two],
      ['twinids', {}, two],
      ['objectargs', {}, { ...done, saved: ['a.txt'] }],
      ['deepseek', {}, one],
      ['reasoning', {}, one],
      ['reasoningdetails', {}, one],
      ['gemini3', {}, one],
    ]),
  )('%s %j', async (quirk, options, expected) => {
    expect(await run(quirk, options)).toMatchObject(expected);
  });
});

describe('a server that writes its replies in its own way', () => {
  it.each(
    each([
      ['think', {}, { status: 'completed', text: 'REJECT: too long', requests: 1 }],
      ['think', { params: { think_tags: 'text' } }, { text: expect.stringContaining('<think>') }],
      ['contentarray', {}, { status: 'completed', text: 'Done.' }],
      ['donewithoutreason', {}, { status: 'completed', text: 'Done.' }],
      ['choicesnull', {}, { status: 'completed', text: 'Done.' }],
      ['usagefirst', {}, { status: 'completed', text: 'Done.' }],
      ['usagerepeated', {}, { status: 'completed', text: 'Done.' }],
    ]),
  )('%s %j', async (quirk, options, expected) => {
    expect(await run(quirk, { ...options, config: { tooling: [] } })).toMatchObject(expected);
  });
});

it('joins messages of one role for a server that refuses them, and says so', async () => {
  const config = {
    provider: 'openai',
    name: 'm',
    base_url: fake.at('alternate'),
    api_key: 'sk-secret-key',
    role: 'Be brief.',
  };
  const { description } = await stage.run(
    JSON.stringify({
      graph: {
        id: 'g',
        start: ['S', 'T'],
        end: ['A'],
        nodes: [
          { id: 'S', type: 'literal', config: { content: 'rule one' } },
          { id: 'T', type: 'passthrough', config: {} },
          { id: 'A', type: 'agent', config },
        ],
        edges: [
          { from: 'S', to: 'A' },
          { from: 'T', to: 'A' },
        ],
      },
    }),
    'hi',
  );

  expect(description).toMatchObject({ status: 'completed', warnings: { latest: [{ code: 'W_PARAM_DROPPED' }] } });
});

describe('a server that reports an error in its own way', () => {
  it.each(
    each([
      [
        'error200',
        {},
        { code: 'MODEL_SERVER_ERROR', message: expect.stringContaining('model overloaded'), requests: 2 },
      ],
      ['errorstring', {}, { status: 'failed' }],
      ['html', {}, { status: 'failed' }],
      ['quota', {}, { code: 'MODEL_QUOTA', requests: 1 }],
      ['billing402', {}, { code: 'MODEL_QUOTA', requests: 1 }],
      ['context', {}, { code: 'MODEL_CONTEXT_FULL', requests: 1 }],
    ]),
  )('%s %j', async (quirk, options, expected) => {
    expect(await run(quirk, options)).toMatchObject(expected);
  });
});

it('reads the error of Google in the list of its OpenAI address, and the wait that it asks for', async () => {
  expect(await run('geminierr', { config: { retry: { max_attempts: 1 } } })).toMatchObject({
    code: 'MODEL_RATE_LIMITED',
    message: expect.stringContaining('quota'),
  });
});

describe('a reply that is not whole', () => {
  const accept = { config: { on_incomplete: 'accept' } };
  it.each(
    each([
      ['cut', limited, { status: 'completed', text: 'Done.', saved: ['log.txt'] }],
      ['cut', { ...limited, compat: true as const }, { status: 'completed', saved: ['log.txt'] }],
      ['cut', {}, { status: 'completed', saved: ['log.txt'] }],
      [
        'lengthcut',
        limited,
        { status: 'completed', text: '{"topics":["a","b', warnings: ['W_REPLY_CUT'], requests: 1 },
      ],
      ['lengthcut', {}, { code: 'MODEL_REPLY_CUT' }],
      ['lengthempty', limited, { code: 'MODEL_REPLY_EMPTY', requests: 1 }],
      ['lengthempty', { ...limited, compat: true as const }, { status: 'completed', warnings: ['W_REPLY_EMPTY'] }],
      ['filter', {}, { code: 'MODEL_REFUSED', requests: 1 }],
      ['filter', accept, { status: 'completed', warnings: ['W_REPLY_REFUSED'] }],
      ['refusal', {}, { code: 'MODEL_REFUSED', requests: 1 }],
      ['malformed', {}, { code: 'MODEL_CALL_MALFORMED', requests: 3, saved: [] }],
    ]),
  )('%s %j', async (quirk, options, expected) => {
    expect(await run(quirk, options)).toMatchObject(expected);
  });

  it.each(
    each([
      ['cut', limited, { status: 'completed', saved: ['log.txt'] }],
      ['refusal', {}, { code: 'MODEL_REFUSED', requests: 1 }],
      [
        'paused',
        { config: { name: 'claude-haiku-4-5' } },
        { status: 'completed', text: 'This is the beginning and this is the rest.', requests: 2 },
      ],
      ['context', {}, { code: 'MODEL_CONTEXT_FULL' }],
    ]),
  )('of Anthropic: %s %j', async (quirk, options, expected) => {
    expect(await run(quirk, { provider: 'anthropic', ...options })).toMatchObject(expected);
  });

  it.each(
    each([
      ['filter', {}, { code: 'MODEL_REFUSED', requests: 1 }],
      ['malformed', {}, { code: 'MODEL_CALL_MALFORMED', requests: 3 }],
    ]),
  )('of Gemini: %s %j', async (quirk, options, expected) => {
    expect(await run(quirk, { provider: 'gemini', ...options })).toMatchObject(expected);
  });
});
