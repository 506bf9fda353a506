import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ask } from '../../support/http/http.ts';
import { chainNodes, serveAndWork, untilStatus } from '../../support/http/serving.ts';
import { startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { startWatchedRedis } from '../../support/redis/redis-sentinels.ts';

type Finally = (close: () => Promise<void>) => void;

/** A Redis whose master can be killed, and its URL. */
interface FailingRedis {
  readonly url: string;
  killMaster(): Promise<void>;
}

const kinds: Readonly<Record<string, (onTestFinished: Finally) => Promise<FailingRedis>>> = {
  'behind sentinels': async (onTestFinished) => {
    const redis = await startWatchedRedis();
    onTestFinished(() => redis.stop());
    return { url: redis.url, killMaster: async () => redis.servers[0]?.server.kill() };
  },
  'in a cluster': async (onTestFinished) => {
    const cluster = await startRedisCluster({ replicas: 1 });
    onTestFinished(() => cluster.stop());
    const killMaster = async () => (await cluster.ownerOf('{millrace}:probe')).server.kill();
    return { url: cluster.url, killMaster };
  },
};

it.concurrent.for(Object.entries(kinds))(
  'a server, a worker and a command that follows a run continue after the death of the master %s',
  async ([_where, start], { onTestFinished }) => {
    const redis = await start(onTestFinished);
    const api = await serveAndWork(redis.url);
    onTestFinished(() => api.close());
    const run = await api.underWay();
    const following = api.command('run', 'chain.yaml', '--input', 'Go.');
    const stream = await fetch(`${api.url}/v1/runs/${run}/events?follow=true`, {
      headers: { accept: 'text/event-stream' },
    });

    await redis.killMaster();
    await sleep(500);
    const { ms, before } = await untilStatus(201, api.start);
    const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);
    const command = await following;
    const events = await stream.text();

    expect(ms).toBeLessThan(10_000);
    for (const { status, headers, body } of before) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body['code']).toMatch(/^REDIS_/);
    }
    expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: chainNodes.length } });
    expect(command).toMatchObject({ code: 0 });
    expect(events).toContain('run.finished');
    for (const { code, lines } of await api.end()) {
      expect(code).toBe(0);
      // Sentinels that are fast announce the new master before a process misses the old one.
      expect(lines.join('\n')).toMatch(/\[REDIS_(UNREACHABLE|READONLY)\][\s\S]*Redis is back after/);
      expect(lines.join('\n')).not.toMatch(/^\s+at |INTERNAL|bug/m);
      expect(lines.length).toBeLessThan(20);
    }
  },
);
