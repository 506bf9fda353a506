import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { audit } from '../support/audit.ts';
import { buildOfCommit, uncheckedCommit } from '../support/build.ts';
import { ask } from '../support/http.ts';
import type { Running } from '../support/millrace.ts';
import { startMillrace } from '../support/millrace.ts';
import type { ModelServer } from '../support/model-server.ts';
import { startModelServer } from '../support/model-server.ts';
import type { RedisServer } from '../support/redis.ts';
import { startRedis } from '../support/redis.ts';

/** A process of one of the two builds. */
interface Started {
  readonly running: Running;
  readonly url: string;
  stop(): Promise<void>;
}

const vocabulary = createVocabulary();

let cwd = '';
let old = '';
let redis: RedisServer;
let model: ModelServer;
/** What looks at the runs from outside: as a process of today that works on nothing. */
let eye: Runtime;
let env: Record<string, string> = {};
const processes = new Set<Started>();

beforeAll(async () => {
  old = await buildOfCommit(uncheckedCommit);
}, 120_000);

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-mixed-'));
  [redis, model] = await Promise.all([startRedis(), startModelServer()]);
  env = { REDIS_URL: redis.url, MILLRACE_DIR: cwd };
  eye = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
});

afterEach(async () => {
  await Promise.all([...processes].map((one) => one.stop()));
  await eye.close();
  await Promise.all([redis.stop(), model.close()]);
  rmSync(cwd, { recursive: true });
});

afterAll(() => expect(processes.size).toBe(0));

async function start(build: string | undefined, ...args: string[]): Promise<Started> {
  const running = startMillrace(args, { cwd, env, ...(build === undefined ? {} : { build }) });
  const serves = args[0] === 'serve';
  const [, url = ''] = await running.says(serves ? /HTTP API is at (\S+)/ : /(Working on runs)/);
  const started: Started = {
    running,
    url,
    async stop() {
      if (!processes.delete(started)) return;
      running.signal('SIGTERM');
      await running.ended;
    },
  };
  processes.add(started);
  return started;
}

const serverOf = (build?: string) => start(build, 'serve', '--port', '0');
const workerOf = (build?: string) => start(build, 'worker', '--concurrency', '4');

const names = Array.from({ length: 12 }, (_, at) => `A${at}`);

/** Twelve agents one after the other, of which each asks for 50 tokens and more; five of them use the budget up. */
const spending = () => `graph:
  id: spending
  budget: { tokens: 300 }
  nodes:
${names.map((id) => `    - { id: ${id}, type: agent, config: { provider: openai, name: m, base_url: '${model.url}', api_key: k, params: { max_tokens: 50 } } }`).join('\n')}
  edges: [${names
    .slice(1)
    .map((id, at) => `{ from: A${at}, to: ${id} }`)
    .join(', ')}]
`;

async function begin({ url }: Started, yaml: string, more: object = {}): Promise<string> {
  const { status, body } = await ask(`${url}/v1/runs`, { workflow: { yaml }, input: 'go', ...more });
  expect({ status, body }).toMatchObject({ status: 201 });
  return String(body['runId']);
}

const endOf = async (run: string) => {
  for await (const { event } of eye.runs.watch(run, '0', AbortSignal.timeout(50_000))) void event;
  return eye.runs.describe(run);
};

describe('next to a build that checks no formats', () => {
  it('carries on alone what an old server starts, within the budget', async () => {
    const [server] = await Promise.all([serverOf(old), workerOf()]);

    const run = await begin(server, spending());

    expect(await endOf(run)).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
    expect(model.tokens).toBeLessThanOrEqual(300);
    expect(model.tokens).toBeGreaterThan(0);
    expect(await audit(eye.store, run, vocabulary)).toEqual([]);
  });

  it('lets no old worker have what a new server starts', async () => {
    const [server] = await Promise.all([serverOf(), workerOf(old)]);

    const run = await begin(server, spending());
    const other = await begin(server, spending(), { runId: 'chosen' });
    await workerOf();

    for (const one of [run, other]) {
      expect(await endOf(one)).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
      expect(await audit(eye.store, one, vocabulary)).toEqual([]);
    }
    expect(model.tokens).toBeLessThanOrEqual(600);
  });
});
