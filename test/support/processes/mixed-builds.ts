import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, RunId } from '@millrace/core';
import type { RunDescription, Runtime, Violation } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { ask } from '../http/http.ts';
import type { RedisServer } from '../redis/redis.ts';
import { startRedis } from '../redis/redis.ts';
import { audit } from '../runs/audit.ts';
import type { Running } from './millrace.ts';
import { startMillrace } from './millrace.ts';

/** Processes of several builds, which share one Redis. A build is the program of one, see build.ts; absent: the present one. */
export interface MixedBuilds {
  readonly redis: RedisServer;
  server(build?: string): Promise<StartedServer>;
  worker(build?: string): Promise<Started>;
  /** A run as of its end, and what is wrong with it. */
  ended(run: RunId): Promise<RunDescription & { readonly violations: readonly Violation[] }>;
  close(): Promise<void>;
}

/** A process. */
export interface Started {
  readonly running: Running;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A process that serves the HTTP API. */
export interface StartedServer extends Started {
  readonly url: string;
  /** Starts a run. */
  begin(yaml: string, more?: object): Promise<RunId>;
  post(path: string, body: object): Promise<void>;
  /** Asks until what comes back is as wanted. */
  until(path: string, isWanted: (body: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Answers the first question of a run, once it asks one. */
  answer(run: RunId): Promise<void>;
  /** The types of what has happened in a run. */
  events(run: RunId): Promise<readonly string[]>;
  /** The ids of all runs. */
  list(): Promise<readonly RunId[]>;
}

const vocabulary = createVocabulary();

/** Opens a Redis without processes. */
export async function openMixedBuilds(): Promise<MixedBuilds> {
  const cwd = mkdtempSync(join(tmpdir(), 'millrace-mixed-'));
  const redis = await startRedis();
  const env = { REDIS_URL: redis.url, MILLRACE_DIR: cwd };
  const runtime: Runtime = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
  const processes = new Set<Started>();
  const start = (args: readonly string[], build: string | undefined): Started => {
    const running = startMillrace(args, { cwd, env, ...(build === undefined ? {} : { build }) });
    const started: Started = {
      running,
      async stop(signal = 'SIGTERM') {
        if (!processes.delete(started)) return;
        running.signal(signal);
        await running.ended;
      },
    };
    processes.add(started);
    return started;
  };
  return {
    redis,
    async server(build) {
      const started = start(['serve', '--port', '0'], build);
      const [, url = ''] = await started.running.says(/HTTP API is at (\S+)/);
      return { ...started, ...callsOf(url) };
    },
    async worker(build) {
      const started = start(['worker', '--concurrency', '4'], build);
      await started.running.says(/Working on runs/);
      return started;
    },
    async ended(run) {
      for await (const { event } of runtime.runs.watch(run, '0', AbortSignal.timeout(50_000))) void event;
      const description = await runtime.runs.describe(run);
      if (description === undefined) throw new Error(`there is no run ${run}`);
      return { ...description, violations: await audit(runtime.store, run, vocabulary) };
    },
    async close() {
      await Promise.all([...processes].map((one) => one.stop('SIGKILL')));
      await runtime.close();
      await redis.stop();
      rmSync(cwd, { recursive: true });
    },
  };
}

function callsOf(url: string): Omit<StartedServer, keyof Started> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answered = await ask(`${url}${path}`, body);
    if (answered.status < 300) return answered.body;
    throw new Error(`${path} answered ${answered.status}: ${JSON.stringify(answered.body)}`);
  };
  const until: StartedServer['until'] = async (path, isWanted) => {
    for (;;) {
      const { body } = await ask(`${url}${path}`);
      if (isWanted(body)) return body;
      await sleep(20);
    }
  };
  return {
    url,
    async begin(yaml, more = {}) {
      return String((await post('/v1/runs', { workflow: { yaml }, input: 'go', ...more }))['runId']);
    },
    async post(path, body) {
      await post(path, body);
    },
    until,
    async answer(run) {
      const { tasks } = await until(`/v1/runs/${run}`, isAsking);
      const [task] = tasks as { id: string }[]; // the contract's
      await post(`/v1/tasks/${task?.id}/answer`, { text: 'this' });
    },
    async events(run) {
      const { body } = await ask(`${url}/v1/runs/${run}/events?limit=200`, undefined, { accept: 'application/json' });
      return (body['data'] as JournalEntry[]).map(({ event }) => event.type); // the contract's
    },
    async list() {
      const { body } = await ask(`${url}/v1/runs?limit=200`);
      return (body['data'] as { runId: string }[]).map(({ runId }) => runId); // the contract's
    },
  };
}

/** Returns true if a run, as the API shows it, has questions to people. */
export const isAsking = ({ tasks }: Record<string, unknown>): boolean => Array.isArray(tasks) && tasks.length > 0;
