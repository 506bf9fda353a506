import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../support/fixtures.ts';
import { ask } from '../support/http/http.ts';
import { serveAndWork } from '../support/http/serving.ts';
import type { RedisServer } from '../support/redis/redis.ts';
import { startRedisCluster } from '../support/redis/redis-cluster.ts';
import { startWatchedRedis } from '../support/redis/redis-sentinels.ts';
import type { Security } from '../support/redis/secured.ts';
import { makeCertificates } from '../support/redis/tls.ts';

const certificates = openBeforeAll(makeCertificates);

type Finally = (close: () => Promise<void>) => void;

/** A Redis whose master changes, and the settings of processes that use it. */
interface FailingRedis {
  readonly url: string;
  readonly variables: Readonly<Record<string, string>>;
  master(): Promise<RedisServer | undefined>;
}

/** Time after which the guide lets a silent master be replaced, in milliseconds. */
const downAfterMs = 5000;
/** Settings that the guide recommends. */
const settings = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '3'];
const kinds: Readonly<Record<string, (security: Security, onTestFinished: Finally) => Promise<FailingRedis>>> = {
  'behind sentinels': async (security, onTestFinished) => {
    const redis = await startWatchedRedis({ replicas: 2, sentinels: 3, downAfterMs, settings, security });
    onTestFinished(() => redis.stop());
    return {
      url: redis.url,
      variables: { REDIS_SENTINEL_PASSWORD: security.password, MILLRACE_REPLICAS: '1' },
      async master() {
        const port = await redis.masterPort();
        return redis.servers.find((one) => one.port === port)?.server;
      },
    };
  },
  'in a cluster': async (security, onTestFinished) => {
    const nodeTimeout = ['--cluster-node-timeout', String(downAfterMs)];
    const cluster = await startRedisCluster({ replicas: 2, settings: [...settings, ...nodeTimeout], security });
    onTestFinished(() => cluster.stop());
    return {
      url: cluster.url,
      variables: { MILLRACE_REPLICAS: '1' },
      master: async () => (await cluster.ownerOf('{millrace}:probe')).server,
    };
  },
};

const workflow = { yaml: 'graph: { id: g, nodes: [{ id: A, type: literal, config: { content: done } }] }\n' };

/** Starts runs without a pause until it is stopped. */
function startLoad(url: string) {
  const acknowledged: string[] = [];
  const refused: { readonly status: number; readonly code: unknown }[] = [];
  let isOver = false;
  const lane = async () => {
    while (!isOver) {
      const { status, body } = await ask(`${url}/v1/runs`, { workflow, input: 'Go.' });
      if (status === 201) acknowledged.push(String(body['runId']));
      else refused.push({ status, code: body['code'] });
      if (status !== 201) await sleep(50);
    }
  };
  const lanes = Promise.all(Array.from({ length: 4 }, lane));
  return {
    acknowledged,
    refused,
    /** Resolves when so many more starts have been acknowledged, with the time that took in milliseconds. */
    async untilStarted(more: number) {
      const [began, aim] = [performance.now(), acknowledged.length + more];
      while (acknowledged.length < aim) await sleep(20);
      return performance.now() - began;
    },
    async stop() {
      isOver = true;
      await lanes;
    },
  };
}

it.for(Object.entries(kinds))(
  'loses no acknowledged run with TLS and users %s, and continues within ten seconds after each of two deaths',
  async ([where, start], { onTestFinished }) => {
    const user = { name: 'millrace', password: 'users-secret' };
    const redis = await start({ certificates, password: 'servers-secret', user }, onTestFinished);
    const variables = { ...redis.variables, NODE_EXTRA_CA_CERTS: certificates.authority };
    const api = await serveAndWork(redis.url, variables);
    onTestFinished(() => api.close());
    const load = startLoad(api.url);
    onTestFinished(() => load.stop());
    await load.untilStarted(50);

    const recoveredMs: number[] = [];
    for (let deaths = 0; deaths < 2; deaths++) {
      const master = await redis.master();
      await master?.kill();
      recoveredMs.push(Math.round(await load.untilStarted(10)));
      await master?.restart();
      await load.untilStarted(20);
    }
    await load.stop();
    const runs = await Promise.all(load.acknowledged.map((run) => ask(`${api.url}/v1/runs/${run}?wait=30s`)));
    const processes = await api.end();

    process.stderr.write(`${where}: ${JSON.stringify({ started: runs.length, recoveredMs })}\n`);
    process.stderr.write(`${processes.flatMap(({ lines }) => lines).join('\n')}\n`);
    expect(runs.filter(({ body }) => body['status'] !== 'completed')).toEqual([]);
    expect(Math.max(...recoveredMs)).toBeLessThan(10_000);
    for (const { status, code } of load.refused)
      expect([status, code]).toEqual([503, expect.stringMatching(/^REDIS_/)]);
    for (const { code, lines } of processes) {
      expect(code).toBe(0);
      expect(lines.length).toBeLessThan(20);
      expect(lines.join('\n')).not.toMatch(/^\s+at |INTERNAL|bug|secret/m);
    }
  },
);
