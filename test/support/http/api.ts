import { createVocabulary } from '@millrace/catalog';
import type { RunLimits, Scope } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import type { Orchestrator, OrchestratorOptions } from '@millrace/orchestrator';
import { startOrchestrator } from '@millrace/orchestrator';
import type { ApiKeys, Runtime, RuntimeLocation } from '@millrace/runtime';
import { createApiKeys, createMetrics, openRuntime } from '@millrace/runtime';
import type { WorkerOptions } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import type { Installation } from '../redis/installation.ts';
import { newInstallation } from '../redis/installation.ts';
import type { ApiResponse } from './http.ts';
import { ask } from './http.ts';

/** The HTTP API in this process, on a Redis of its own, with a worker. */
export interface ServedApi {
  readonly orchestrator: Orchestrator;
  readonly runtime: Runtime;
  readonly keys: ApiKeys;
  /** How other processes of the installation find its Redis. */
  readonly redis: Installation;
  /** Makes a key of a tenant. */
  keyOf(tenant: string, ...scopes: readonly Scope[]): Promise<string>;
  /** Makes a key of a tenant, and asks with it. */
  tenant(name: string, ...scopes: readonly Scope[]): Promise<Tenant>;
  /** Asks with a key; with a body, by POST. */
  ask(
    key: string,
    path: string,
    ...more: readonly [body?: unknown, headers?: Record<string, string>]
  ): Promise<ApiResponse>;
  /** One more server of the same installation; closed with this one. */
  another(port?: number): Promise<Orchestrator>;
  close(): Promise<void>;
}

/** A tenant of an API with one of its keys. */
export interface Tenant {
  readonly key: string;
  /** Variables of a command that asks the API with the key. */
  readonly env: { readonly MILLRACE_URL: string; readonly MILLRACE_API_KEY: string };
  /** Asks with the key; with a body, by POST. */
  ask(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  /** Starts a run of a text, and returns its id once it has ended or waits. */
  start(yaml: string, more?: object): Promise<string>;
}

/** Serves the API of an installation that no other test uses. */
export async function serveApi({
  outbound,
  limits = {},
  where,
  extensions,
  journalWindow,
  ...settings
}: Partial<Pick<OrchestratorOptions, 'secret' | 'httpLimits' | 'webhooks' | 'trust' | 'ui' | 'reference'>> &
  Pick<WorkerOptions, 'outbound'> & {
    /** Limits of runs and tenants. */
    readonly limits?: Partial<RunLimits>;
    /** Default: a Redis. */
    readonly where?: RuntimeLocation;
    /** Number of events of a journal that Redis keeps; default: that of the product. */
    readonly journalWindow?: number;
    readonly extensions?: Parameters<typeof createVocabulary>[0];
  } = {}): Promise<ServedApi> {
  const redis = newInstallation();
  const vocabulary = createVocabulary(extensions);
  const runtime = await openRuntime(
    { ...(where ?? redis.where), ...omitUndefined({ journalWindow }), limits },
    vocabulary,
    () => undefined,
  );
  const metrics = await createMetrics(runtime.shared?.admin);
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
  const keyOf: ServedApi['keyOf'] = async (tenant, ...scopes) => (await keys.create({ tenant, scopes })).secret;
  const askWith: ServedApi['ask'] = (key, path, ...[body, headers]) =>
    ask(`${orchestrator.url}${path}`, body, { authorization: `Bearer ${key}`, ...headers });
  return {
    orchestrator,
    runtime,
    keys,
    redis,
    keyOf,
    async tenant(name, ...scopes) {
      const key = await keyOf(name, ...scopes);
      const env = { MILLRACE_URL: orchestrator.url, MILLRACE_API_KEY: key };
      const asks: Tenant['ask'] = (path, body, headers) => askWith(key, path, body, headers);
      const start: Tenant['start'] = async (yaml, more) => {
        const { status, body } = await asks(
          '/v1/runs',
          { workflow: { yaml }, input: 'Go.', ...more },
          { prefer: 'wait=30' },
        );
        if (status !== 201) throw new Error(JSON.stringify(body));
        return String(body['runId']);
      };
      return { key, env, ask: asks, start };
    },
    ask: askWith,
    async another(port) {
      const own = await openRuntime(redis.where, vocabulary, () => undefined);
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
    },
  };
}
