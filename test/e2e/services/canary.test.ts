import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { ask, follow } from '../../support/http/http.ts';
import { command } from '../../support/processes/command.ts';
import { millrace, startServer } from '../../support/processes/millrace.ts';
import type { FakeProvider } from '../../support/provider/provider.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Reply } from '../../support/provider/reply.ts';
import type { Turn } from '../../support/provider/turn.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { contentsOf } from '../../support/redis/redis-contents.ts';

const canary = `sk-canary-${randomUUID()}`;
type Way = readonly [provider: string, path: string, params: string];
const ways: readonly Way[] = [
  ['openai', '/v1', ''],
  ['openai', '/v1', 'protocol: responses, '],
  ['anthropic', '', ''],
  ['gemini', '', ''],
];
/** Codes of the errors that calls end with, by the name of a model, which says how the server answers. */
const models: Readonly<Record<string, string>> = {
  fine: '',
  s400: 'MODEL_BAD_REQUEST',
  s401: 'MODEL_AUTH',
  s404: 'MODEL_NOT_FOUND',
  s429: 'MODEL_RATE_LIMITED',
  s500: 'MODEL_SERVER_ERROR',
  garbage: 'MODEL_BAD_REPLY',
  huge: 'MODEL_REPLY_TOO_LARGE',
};

/** Repeats the headers of a request, keys included, in its errors. */
function reply({ model }: Turn): Reply {
  const headers = JSON.stringify(server.requests.at(-1)?.headers);
  const status = Number(/^s(\d+)/.exec(model)?.[1] ?? 200);
  if (status !== 200) return { refuse: status, message: `no: ${headers}` };
  if (model === 'garbage') return { body: `{"you sent": ${headers}` };
  return model === 'huge' ? { body: 'x'.repeat(30 * 1024 * 1024) } : 'fine';
}

const server: FakeProvider = openBeforeAll(() => startFakeProvider({ reply }));
const redis = openBeforeAll(startRedis);
const cwd = directoryBeforeAll();
const keys = { API_KEY: canary, OPENAI_API_KEY: canary, GEMINI_API_KEY: canary, ANTHROPIC_API_KEY: canary };
const env = () => ({ REDIS_URL: redis.url, MILLRACE_LOG_LEVEL: 'trace', ...keys });
const up = openBeforeAll(() => startServer(['up', '--port', '0'], { cwd, env: env() }));
/** Everything that was said anywhere. */
const seen: string[] = [];

const agent = (id: string, way: Way, more: string) => `
    - id: ${id}
      type: agent
      on_error: ${more.includes('on_error') ? 'fail' : 'text'}
      config: { provider: ${way[0]}, name: ${id.split('_')[0]}, base_url: "${server.url}/ok${way[1]}", params: { ${way[2]}stream: false }, retry: { max_attempts: 1 }${more.replace('on_error', '')} }`;
const workflow = (agents: string, start: readonly string[]) =>
  `graph:\n  id: canary\n  start: [${start.join(', ')}]\n  end: []\n  nodes:${agents}\n`;

describe('a key of the environment', () => {
  it.each(ways)('is sent to %s%s (%s) and nowhere else, whatever the result of the call', async (...way) => {
    const names = Object.keys(models);
    const agents = names.map((name, at) => agent(`${name}_1`, way, at % 2 === 0 ? ', api_key: "${API_KEY}"' : ''));
    const ids = names.map((name) => `${name}_1`);
    const before = server.requests.length;
    const started = await ask(`${up.url}/v1/runs`, { workflow: { yaml: workflow(agents.join(''), ids) }, input: 'go' });
    expect(started).toMatchObject({ status: 201 });
    const run = String(started.body['runId']);
    const events = await follow(`${up.url}/v1/runs/${run}/events`);
    const ended = await ask(`${up.url}/v1/runs/${run}`);
    const journal = await command(['journal', run, '--json'], { ...env(), MILLRACE_DIR: join(cwd, '.millrace') });
    seen.push(JSON.stringify([started.body, events, ended.body]), journal.stdout, journal.stderr);

    const outputs = ended.body['outputs'] as Record<string, string>; // as the contract says
    expect(ended.body['status']).toBe('completed');
    for (const name of names) {
      if (models[name] === '') expect(outputs[`${name}_1`]).toBe('fine');
      else expect(outputs[`${name}_1`]).toMatch(/^Error calling model/);
    }
    const sent = server.requests.slice(before);
    expect(sent.length).toBe(names.length);
    expect(sent.every(({ headers }) => JSON.stringify(headers).includes(canary))).toBe(true);
  });

  const failing = (name: string) =>
    workflow(agent(`${name}_1`, ['openai', '/v1', ''], ', api_key: "${API_KEY}"on_error'), [`${name}_1`]);

  it.each(Object.entries(models).filter(([, code]) => code !== ''))(
    'does not appear when a run fails by a model %s (%s)',
    async (name, code) => {
      const { body } = await ask(`${up.url}/v1/runs`, { workflow: { yaml: failing(name) }, input: 'go' });
      const ended = await ask(`${up.url}/v1/runs/${String(body['runId'])}?wait=30s`);
      seen.push(JSON.stringify(ended.body));

      expect(ended.body).toMatchObject({ status: 'failed', error: { code } });
    },
  );

  it('does not appear on the command line', async () => {
    const file = join(cwd, 'failing.yaml');
    writeFileSync(file, failing('s401'));
    const ended = await millrace(['run', file, '--input', 'go'], { cwd, env: env() });
    seen.push(ended.stdout, ended.stderr);

    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('MODEL_AUTH') });
  });

  it.each([
    ['api_key: "${NOT_SET}"', 'SECRET_MISSING'],
    ['base_url: "http://127.0.0.1:1/v1"', 'MODEL_UNREACHABLE'],
  ])('does not appear when %s', async (field, code) => {
    const config = `{ provider: openai, name: m, ${field}, retry: { max_attempts: 1 } }`;
    const yaml = `graph:\n  id: failing\n  nodes:\n    - { id: A, type: agent, config: ${config} }\n`;
    const { body } = await ask(`${up.url}/v1/runs`, { workflow: { yaml }, input: 'go' });
    const ended = await ask(`${up.url}/v1/runs/${String(body['runId'])}?wait=30s`);
    seen.push(JSON.stringify(ended.body));

    expect(ended.body).toMatchObject({ status: 'failed', error: { code, node: 'A' } });
  });

  it('is stored nowhere: not in Redis or its requests, nor in logs, journals, responses and outputs', async () => {
    const { stdout, stderr } = await up.stop();
    const connection = connect(redis.url, 'test');
    const stored = await contentsOf(connection);
    connection.disconnect();
    const written = redis.appendOnlyFile === undefined ? '' : readFileSync(redis.appendOnlyFile, 'latin1');

    for (const text of [stdout, stderr, stored, written, ...seen]) expect(text.includes(canary)).toBe(false);
    expect(stored.includes('fine')).toBe(true);
  });
});
