import { RequestError } from '@millrace/core';
import type { Logger } from 'pino';
import type { Api } from './api.ts';
import { closerOf } from './close-server.ts';
import { assertLoopback } from './loopback.ts';
import { addEventRoutes } from './routes/events.ts';
import { addHealthRoutes } from './routes/health.ts';
import { addLifeRoutes } from './routes/life.ts';
import { addRunRoutes } from './routes/runs.ts';
import { addTaskRoutes } from './routes/tasks.ts';
import { createServer } from './server.ts';

/** What the HTTP API is started with. */
export interface OrchestratorOptions extends Omit<Api, 'closing'> {
  /** An address of this machine's own; default 127.0.0.1. */
  readonly host?: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly log: Logger;
}

/** A running HTTP API. */
export interface Orchestrator {
  readonly url: string;
  /** Ends streams and waits, finishes the other requests, and leaves the runtime open. */
  close(): Promise<void>;
}

/** Serves the HTTP API. Throws RequestError when it may not, or cannot, listen there. */
export async function startOrchestrator(options: OrchestratorOptions): Promise<Orchestrator> {
  const { runtime, vocabulary, host = '127.0.0.1', port, log } = options;
  assertLoopback(host);
  const closing = new AbortController();
  const api: Api = { runtime, vocabulary, closing: closing.signal };
  const server = await createServer(log);
  const close = closerOf(server);
  for (const add of [addRunRoutes, addLifeRoutes, addEventRoutes, addTaskRoutes, addHealthRoutes]) add(server, api);
  const url = await server.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new RequestError('PORT_TAKEN', `Something else listens on port ${port} of ${host}. Choose another port.`);
  });
  return {
    url,
    async close() {
      closing.abort();
      await close();
    },
  };
}
