import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { Scope } from '@millrace/core';
import type { Orchestrator, OrchestratorOptions } from '@millrace/orchestrator';
import { startOrchestrator } from '@millrace/orchestrator';
import type { ApiKeys, Runtime } from '@millrace/runtime';
import { createApiKeys, createMetrics, openRuntime } from '@millrace/runtime';
import type { WorkerOptions } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { openInstallation } from '../redis/redis.ts';
import type { Answered } from './http.ts';
import { ask } from './http.ts';

/** The HTTP API in this process, on a Redis of its own, with a worker. */
export interface ServedApi {
  readonly orchestrator: Orchestrator;
  readonly runtime: Runtime;
  readonly keys: ApiKeys;
  /** URL and prefix under which other processes of the installation find its Redis. */
  readonly redis: { readonly url: string; readonly prefix: string };
  /** Makes a key of a tenant. */
  keyOf(tenant: string, ...scopes: readonly Scope[]): Promise<string>;
  /** Asks with a key; with a body, by POST. */
  ask(
    key: string,
    path: string,
    ...more: readonly [body?: unknown, headers?: Record<string, string>]
  ): Promise<Answered>;
  /** One more server of the same installation; closed with this one. */
  another(port?: number): Promise<Orchestrator>;
  close(): Promise<void>;
}

/** Serves the API of an installation that no other test uses. */
export async function serveApi({
  outbound,
  ...settings
}: Pick<OrchestratorOptions, 'httpLimits' | 'webhooks' | 'trust' | 'ui' | 'reference'> &
  Pick<WorkerOptions, 'outbound'> = {}): Promise<ServedApi> {
  const installation = await openInstallation();
  const vocabulary = createVocabulary();
  const prefix = `{api-${randomUUID()}}`;
  const where = { redisUrl: installation.url, prefix };
  const runtime = await openRuntime(where, vocabulary, () => undefined);
  const metrics = await createMetrics(runtime.admin);
  runtime.instrumentation.add(metrics.instrumentation);
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary, concurrency: 4, name: 'test', log, ...(outbound && { outbound }) });
  const serve = (on: Runtime, port = 0) =>
    startOrchestrator({
      runtime: on,
      vocabulary,
      port,
      log,
      metrics,
      secret: async () => Buffer.from('of a test'),
      ...settings,
      httpLimits: { drainMs: 0, ...settings.httpLimits },
    });
  const orchestrator = await serve(runtime);
  const others: { close(): Promise<void> }[] = [];
  const keys = createApiKeys(runtime.store);
  return {
    orchestrator,
    runtime,
    keys,
    redis: { url: installation.url, prefix },
    keyOf: async (tenant, ...scopes) => (await keys.create({ tenant, scopes })).secret,
    ask: (key, path, ...[body, headers]) =>
      ask(`${orchestrator.url}${path}`, body, { authorization: `Bearer ${key}`, ...headers }),
    async another(port) {
      const own = await openRuntime(where, vocabulary, () => undefined);
      // As `millrace serve` does: what a stopped server took of a queue is noticed.
      const caretaker = own.startCaretaker({ removes: false });
      const started = await serve(own, port);
      others.push(caretaker, started, own);
      return started;
    },
    async close() {
      for (const other of others) await other.close();
      await orchestrator.close();
      await worker.close();
      await runtime.close();
      await installation.stop();
    },
  };
}
