import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../support/http/http.ts';
import { freePort } from '../support/redis/free-port.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Four agents that take a second and a half each. */
const workflow = `
graph:
  id: slow_chain
  nodes:
${[1, 2, 3, 4].map((n) => `    - {id: A${n}, type: agent, config: {provider: scripted, name: m, params: {default: {text: "${n}({last_user})", delay_ms: 1500}}}}`).join('\n')}
  edges:
    - {from: A1, to: A2}
    - {from: A2, to: A3}
    - {from: A3, to: A4}
`;

let url = '';
let key = '';
let redisPort = '';
const redisPassword = randomUUID().replaceAll('-', '');
let env: NodeJS.ProcessEnv = {};

/** A command of docker, or of docker compose on this project. */
async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}
const compose = (...args: string[]) => docker('compose', ...args);

beforeAll(async () => {
  const port = await freePort();
  redisPort = `${await freePort()}`;
  env = {
    ...process.env,
    COMPOSE_PROJECT_NAME: `millrace-${randomUUID().slice(0, 8)}`,
    MILLRACE_PORT: `${port}`,
    MILLRACE_REDIS_PORT: redisPort,
    MILLRACE_REDIS_PASSWORD: redisPassword,
  };
  url = `http://127.0.0.1:${port}`;
  await compose('up', '--build', '--detach', '--wait', '--scale', 'worker=2');
  key = await compose('exec', '-T', 'orchestrator', 'millrace', 'keys', 'create', '--scopes', 'read,run');
});
afterAll(() => compose('down', '--volumes', '--remove-orphans'));

const headers = () => ({ authorization: `Bearer ${key}` });

it('requires a key of every caller', async () => {
  expect((await ask(`${url}/v1/runs`)).status).toBe(401);
  expect((await ask(`${url}/v1/runs`, undefined, headers())).status).toBe(200);
});

it('requires a password of every client of Redis', async () => {
  expect(await pingOf(`redis://127.0.0.1:${redisPort}`)).toMatch(/^NOAUTH/);
  expect(await pingOf(`redis://default:${redisPassword}@127.0.0.1:${redisPort}`)).toBe('PONG');
});

it('finishes a run when its worker is killed', async () => {
  const started = await ask(`${url}/v1/runs`, { workflow: { yaml: workflow }, input: 'go' }, headers());
  expect(started.status).toBe(201);
  const id = String(started.body['runId']);

  const workers = (await compose('ps', '--quiet', 'worker')).split('\n');
  const busy = await busyWorker(id);
  expect(workers.some((worker) => worker.startsWith(busy))).toBe(true);
  await docker('kill', busy);

  const ended = await ask(`${url}/v1/runs/${id}?wait=60s`, undefined, headers());
  expect(ended.body).toMatchObject({ status: 'completed', output: expect.anything() });
  expect(JSON.stringify(ended.body['output'])).toContain('4(');
});

/** Returns the answer of a Redis, which can be an error. */
async function pingOf(address: string): Promise<string> {
  const client = new Redis(address, { enableReadyCheck: false });
  const answer = await client.ping().catch(String);
  client.disconnect();
  return answer.replace('ReplyError: ', '');
}

/** The container that has begun the first activation; its name is in the journal: a host, and a process in it. */
async function busyWorker(id: string): Promise<string> {
  for (;;) {
    const { body } = await ask(`${url}/v1/runs/${id}/events`, undefined, { ...headers(), accept: 'application/json' });
    const begun = /"worker":"([0-9a-f]{12})-\d+"/.exec(JSON.stringify(body))?.[1];
    if (begun !== undefined) return begun;
  }
}
