import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@millrace/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { chainNodes, serveAndWork } from '../../support/http/serving.ts';
import { millrace } from '../../support/processes/millrace.ts';
import { freePort } from '../../support/redis/free-port.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { startWatchedRedis } from '../../support/redis/redis-sentinels.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { makeCertificates } from '../../support/redis/tls.ts';

type Finally = (close: () => Promise<void>) => void;

const directory = directoryBeforeAll();
let workflow: string;
beforeAll(async () => {
  workflow = join(directory, 'literal.yaml');
  await writeFile(workflow, 'graph: { id: g, nodes: [{ id: A, type: literal, config: { content: done } }] }\n');
});

async function start(settings: readonly string[], onTestFinished: Finally): Promise<RedisServer> {
  const redis = await startRedis(settings);
  onTestFinished(() => redis.stop());
  return redis;
}

async function examine(env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await millrace(['doctor', '--json'], { env });
  const findings: readonly Finding[] = JSON.parse(stdout);
  return { code, stderr, of: (subject: string) => findings.find((finding) => finding.subject === subject) };
}

describe.concurrent('a user of Redis', () => {
  it('needs the permissions that the guide lists, and no others', async ({ onTestFinished }) => {
    const port = await freePort();
    const redis = await start(['--port', String(port), '--bind', '127.0.0.1'], onTestFinished);
    const permissions = '~{millrace}:* &{millrace}:* +@all -@admin -@dangerous +info +client|list +client|unblock';
    await tellRedis(redis.url, 'ACL', 'SETUSER', 'millrace', 'on', '>secret', ...permissions.split(' '));
    const api = await serveAndWork(`redis://millrace:secret@127.0.0.1:${port}`);
    onTestFinished(() => api.close());

    const run = await api.underWay();
    const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);
    const log = JSON.stringify(await tellRedis(redis.url, 'ACL', 'LOG'));

    expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: chainNodes.length } });
    const refused = [...log.matchAll(/"object","([^"]*)"/g)].map(([, command]) => command);
    expect(refused.filter((command) => command !== 'config|get')).toEqual([]);
  });

  it.for([
    ['with a wrong password', ':wrong@', [], 'REDIS_AUTH'],
    ['without a password', '', [], 'REDIS_AUTH'],
    ['without a permission', 'small:secret@', ['+@all', '-info', '~*', '&*'], 'REDIS_PERMISSION'],
  ] as const)('is refused at once %s, with the reason', async ([_how, user, permissions, code], { onTestFinished }) => {
    const port = await freePort();
    const redis = await start(['--port', String(port), '--bind', '127.0.0.1'], onTestFinished);
    await tellRedis(redis.url, 'ACL', 'SETUSER', 'small', 'on', '>secret', ...permissions);
    await tellRedis(redis.url, 'CONFIG', 'SET', 'requirepass', 'right');
    const env = { REDIS_URL: `redis://${user}127.0.0.1:${port}` };

    const [ran, doctor] = await Promise.all([millrace(['run', workflow, '--input', 'Go.'], { env }), examine(env)]);

    // A Redis that is waited for is reported as unreachable.
    expect(ran).toMatchObject({ code: 5, stderr: expect.stringContaining(`[${code}]`) });
    expect(ran.stderr).not.toMatch(/bug|^\s+at |secret|wrong@/m);
    expect(doctor.code).toBe(1);
    expect(doctor.of('Redis')).toMatchObject({ level: 'bad', cure: expect.stringMatching(/password|permissions/) });
  });
});

it.concurrent('an encrypted Redis is trusted with its authority, and refused with the cause without it', async ({
  onTestFinished,
}) => {
  const certificates = await makeCertificates();
  onTestFinished(() => certificates.remove());
  const port = await freePort();
  await start(certificates.settings(port), onTestFinished);
  const env = { REDIS_URL: `rediss://localhost:${port}` };
  const trusting = { ...env, NODE_EXTRA_CA_CERTS: certificates.authority };

  const [trusted, untrusted, otherName, plain] = await Promise.all([
    millrace(['run', workflow, '--input', 'Go.'], { env: trusting }),
    millrace(['run', workflow, '--input', 'Go.'], { env }),
    examine({ ...trusting, REDIS_URL: `rediss://127.0.0.1:${port}` }),
    examine({ REDIS_URL: `redis://localhost:${port}` }),
  ]);

  expect(trusted.code).toBe(0);
  expect(untrusted).toMatchObject({ code: 5, stderr: expect.stringMatching(/certificate.*\[REDIS_TLS\]/) });
  expect(otherName.of('Redis')?.message).toMatch(/does not match certificate's altnames/);
  expect(plain.of('Redis')).toMatchObject({ level: 'bad' });
});

it.concurrent('warns of a master that acknowledges what no replica has', async ({ onTestFinished }) => {
  const redis = await startWatchedRedis();
  onTestFinished(() => redis.stop());
  const env = { REDIS_URL: redis.url };

  const careless = await examine(env);
  const started = await millrace(['run', workflow, '--input', 'Go.', '--verbose'], { env });
  for (const { server } of redis.servers) await tellRedis(server.url, 'CONFIG', 'SET', 'min-replicas-to-write', 1);
  const careful = await examine(env);

  expect(careless.code).toBe(0);
  expect(careless.of('replication')).toMatchObject({
    level: 'weak',
    cure: expect.stringContaining('min-replicas-to-write to 1'),
  });
  expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining('min-replicas-to-write 0') });
  expect(careful.of('replication')).toMatchObject({ level: 'good' });
});

it.concurrent('diagnoses a cluster, and names the cure where one node is taken for the whole', async ({
  onTestFinished,
}) => {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  const owner = await cluster.ownerOf('{millrace}:probe');
  const other = cluster.nodes.find(({ id }) => id !== owner.id);

  const whole = await examine({ REDIS_URL: cluster.url });
  const env = { REDIS_URL: `redis://127.0.0.1:${other?.port}` };
  const [one, ran] = await Promise.all([examine(env), millrace(['run', workflow, '--input', 'Go.'], { env })]);

  expect(whole).toMatchObject({ code: 0 });
  expect(whole.of('queue')?.level).toBe('good');
  expect(one).toMatchObject({ code: 1 });
  expect(one.of('Redis')).toMatchObject({ level: 'bad', cure: expect.stringContaining('redis+cluster://') });
  expect(ran).toMatchObject({ code: 5, stderr: expect.stringMatching(/redis\+cluster:\/\/.*\[REDIS_MOVED\]/) });
  expect(ran.stderr).not.toMatch(/bug|^\s+at /m);
});

it.concurrent('names the last cause where no server answers', async () => {
  const port = await freePort();
  const [plain, watched, cluster] = await Promise.all([
    examine({ REDIS_URL: `redis://127.0.0.1:${port}` }),
    examine({ REDIS_URL: `redis+sentinel://user:hidden@127.0.0.1:${port}/mymaster` }),
    examine({ REDIS_URL: `redis+cluster://user:hidden@127.0.0.1:${port}` }),
  ]);

  for (const { of, stderr } of [plain, watched, cluster]) {
    expect(of('Redis')?.message).toMatch(new RegExp(`did not answer within 3000 ms: .*ECONNREFUSED 127.0.0.1:${port}`));
    expect(`${of('Redis')?.message}${stderr}`).not.toContain('hidden');
  }
});
