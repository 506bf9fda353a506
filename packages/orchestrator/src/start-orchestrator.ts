import { operations } from '@millrace/api';
import { createWorkflowReader } from '@millrace/catalog';
import type { Vocabulary } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Metrics, Runtime, Tracing } from '@millrace/runtime';
import { createApiKeys, createSessions, isLoopback, listenError } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { BackgroundOptions } from './background/background.ts';
import { startBackground } from './background/background.ts';
import { tables } from './background/batches/tables.ts';
import { sharedContext } from './context/context.ts';
import { createDraining } from './context/draining.ts';
import type { RouteContext } from './context/route-context.ts';
import { createAuthenticator } from './http/access/authenticator.ts';
import type { GuardedRoute } from './http/access/guard.ts';
import { guard, guardAgainstOutages } from './http/access/guard.ts';
import type { HttpLimits } from './http/access/http-limits.ts';
import { applyHttpLimits, defaultHttpLimits } from './http/access/http-limits.ts';
import { limitRequestsUnderWay } from './http/access/requests-under-way.ts';
import type { Trust } from './http/access/tokens.ts';
import { createTokens } from './http/access/tokens.ts';
import { addOperations } from './http/add-operations.ts';
import { addCompression } from './http/compression.ts';
import { addIdempotency } from './http/idempotency.ts';
import type { Server } from './http/server.ts';
import { closerOf, createServer } from './http/server.ts';
import { addArchiveRoute } from './routes/archive.ts';
import { addArtifactRoutes } from './routes/artifacts.ts';
import { addAttachmentRoutes } from './routes/attachments.ts';
import { addBatchRoutes } from './routes/batches.ts';
import { addBoardRoutes } from './routes/board.ts';
import { addEventRoutes } from './routes/events.ts';
import { addFileRoutes } from './routes/files.ts';
import { addHealthRoutes } from './routes/health.ts';
import { addMcpRoutes } from './routes/mcp.ts';
import { addMessageRoutes } from './routes/messages.ts';
import { addMetricsRoute } from './routes/metrics.ts';
import { addReferenceRoutes } from './routes/reference.ts';
import { addSignInRoutes } from './routes/sign-in.ts';
import { addTenantEventRoutes } from './routes/tenant-events.ts';
import { addUiRoutes } from './routes/ui.ts';

/** Options of the HTTP API. */
export interface OrchestratorOptions extends Pick<BackgroundOptions, 'secret' | 'webhooks'> {
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'queue' | 'shared' | 'intake' | 'limits' | 'models'>;
  readonly vocabulary: Vocabulary;
  /** Default 127.0.0.1. If other machines can reach the address, there must be an API key. */
  readonly host?: string;
  /** 0: any free port; `from`: this port, or the next one that is free. */
  readonly port: number | { readonly from: number };
  readonly log: Logger;
  readonly httpLimits?: Partial<HttpLimits>;
  /** Counts requests, and is served at `/metrics`; absent: requests are not counted. */
  readonly metrics?: Metrics;
  /** Traces requests; absent: requests are not traced. */
  readonly tracing?: Tracing;
  /** Folder with the built files of the dashboard, served at `/ui/`; absent: there is none. */
  readonly ui?: { readonly root: string };
  /** Folder with the built page of the API reference, served at `/docs`; absent: there is only `/openapi.json`. */
  readonly reference?: { readonly root: string };
  /** Issuer of the tokens that are accepted beside API keys; absent: none are. */
  readonly trust?: Trust;
}

/** A running HTTP API. */
export interface Orchestrator {
  readonly url: string;
  /**
   * Callers that are admitted: `anybody` of this machine, because there are no keys; `nobody`, for the same reason, if
   * other machines reach it.
   */
  readonly admits: 'anybody' | 'nobody' | 'keys';
  readonly routes: readonly GuardedRoute[];
  /**
   * Reports at `/readyz` that it stops, and serves on until load balancers have noticed. Then ends streams and waits, finishes the
   * other requests, and leaves the runtime open.
   */
  close(): Promise<void>;
}

/** Serves the HTTP API. Throws RequestError if it may not, or cannot, listen on the address. */
export async function startOrchestrator(options: OrchestratorOptions): Promise<Orchestrator> {
  const { runtime, vocabulary, host = '127.0.0.1', port, log, httpLimits, trust, metrics, tracing } = options;
  const { shared } = runtime;
  const keys = createApiKeys(runtime.store);
  const sessions = createSessions(runtime.store, keys);
  const tokens = trust && (await createTokens(trust, log));
  const authenticator = createAuthenticator({ runtime, keys, sessions, host, tokens });
  const closing = new AbortController();
  const own = { ...defaultHttpLimits, ...httpLimits };
  const draining = createDraining(own.drainMs);
  const { trustProxy, arrivesWithinMs } = own;
  const server = await createServer({ log, tracing, trustProxy, arrivesWithinMs });
  const countUnauthenticated = await applyHttpLimits(server, own, {
    counts: shared?.requestCounts,
    outages: shared?.outages,
  });
  const close = closerOf(server);
  if (shared !== undefined) guardAgainstOutages(server, shared.outages);
  const routes = guard(server, authenticator, countUnauthenticated);
  limitRequestsUnderWay(server, own.underWay);
  if (metrics !== undefined) countRequests(server, metrics);
  addIdempotency(server, runtime.store, shared?.outages);
  // After the hook that keeps answers, which keeps them uncompressed.
  addCompression(server);
  const reader = createWorkflowReader(vocabulary);
  runtime.runs.tenantEvents.followWatchers();
  const followed = runtime.models.follow();
  const background = startBackground({ ...options, reader: reader.background });
  const api: RouteContext = {
    ...sharedContext({
      runtime,
      vocabulary,
      reader,
      tables,
      intakeOf: 'tenant',
      background: background.work,
      secretOfWebhook: background.secretOfWebhook,
      assertReachable: background.assertReachable,
    }),
    queue: runtime.queue,
    admin: shared?.admin,
    outages: shared?.outages,
    metrics,
    closing: closing.signal,
    draining,
  };
  addOperations(server, api, operations);
  for (const add of parts) await add(server, api);
  addSignInRoutes(server, { keys, sessions, countUnauthenticated });
  addPages(server, options);
  const url = await listen(server, host, port).catch(async (error: unknown) => {
    followed.close();
    await background.close();
    throw error;
  });
  return {
    url,
    admits:
      trust !== undefined || (await keys.tenants('', 1)).length > 0 ? 'keys' : isLoopback(host) ? 'anybody' : 'nobody',
    routes,
    async close() {
      await draining.drain();
      closing.abort();
      followed.close();
      await Promise.all([close(), background.close()]);
      await reader.close();
    },
  };
}

/** Number of ports that are tried from the first one on. */
const triedPorts = 100;

/** Listens on a port; returns the URL of the server. Throws RequestError if it cannot listen there. */
async function listen(server: Server, host: string, port: OrchestratorOptions['port']): Promise<string> {
  const [first, tried] = typeof port === 'number' ? [port, 1] : [port.from, triedPorts];
  for (let next = first; next < first + tried; next += 1) {
    try {
      return await server.listen({ host, port: next });
    } catch (error) {
      const refused = listenError(error, { host, port: next });
      if (tried === 1 || !(refused instanceof RequestError) || refused.code !== 'PORT_TAKEN') throw refused;
    }
  }
  const ports = `the ports ${first} to ${first + tried - 1}`;
  throw new RequestError('PORT_TAKEN', `Something else listens on ${ports} of ${host}. Choose another port.`);
}

/** Adds the pages for people, and leads `/` to the first of them. */
function addPages(server: Server, { ui, reference }: Pick<OrchestratorOptions, 'ui' | 'reference'>): void {
  const start = ui !== undefined ? '/ui/' : reference !== undefined ? '/docs' : '/openapi.json';
  const open = { schema: { hide: true }, config: { requiredScope: 'nobody' } } as const;
  server.get('/', open, async (_request, reply) => reply.redirect(start));
  if (ui !== undefined) addUiRoutes(server, ui.root);
  addReferenceRoutes(server, reference?.root);
}

function countRequests(server: Server, metrics: Metrics): void {
  server.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    const route = routeOptions.url ?? 'unknown';
    metrics.answered({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
  });
}

const parts = [
  addEventRoutes,
  addTenantEventRoutes,
  addFileRoutes,
  addArchiveRoute,
  addArtifactRoutes,
  addAttachmentRoutes,
  addMessageRoutes,
  addBatchRoutes,
  addMetricsRoute,
  addBoardRoutes,
  addMcpRoutes,
  addHealthRoutes,
];
