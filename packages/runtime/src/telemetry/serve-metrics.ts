import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError } from '../outbound/listen-address.ts';
import { isLoopback, isLoopbackHost } from '../outbound/loopback.ts';
import type { Metrics } from './metrics.ts';

/** Address at which metrics are served. */
export interface MetricsAddress {
  /** 0: any free port. */
  readonly port: number;
  /** Default 127.0.0.1. Every client that can reach it can read the metrics. */
  readonly host?: string;
}

/** The process whose state is served. */
export interface ServedProcess {
  readonly metrics: Metrics;
  /** Rejects while the process cannot do its work. */
  readonly check?: () => Promise<void>;
}

/** A small server for the state of a process. */
export interface MetricsServer {
  readonly url: string;
  close(): void;
}

/**
 * Serves metrics at `/metrics`, `/healthz`, and `/readyz`, which answers 503 if `check` rejects. On a loopback address it answers only requests whose `Host` names this
 * machine, so that no web page can read them by DNS rebinding. Throws RequestError when it cannot listen there.
 */
export function serveMetrics(
  { metrics, check = async () => undefined }: ServedProcess,
  { port, host = '127.0.0.1' }: MetricsAddress,
): Promise<MetricsServer> {
  const isLocal = isLoopback(host);
  const server = createServer((request, response) => {
    const asked = request.headers.host;
    if (isLocal && asked !== undefined && !isLoopbackHost(asked)) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end(refusal);
      return;
    }
    answer({ metrics, check }, request, response).catch(() => {
      // No other place reports this: a client that reads metrics sees that they are missing.
      response.writeHead(500, { 'content-type': 'text/plain' }).end('The metrics could not be read.\n');
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, { port, host })));
    server.listen(port, host, () => {
      const { address, port: own, family } = server.address() as AddressInfo; // it listens on a port
      resolve({
        url: `http://${family === 'IPv6' ? `[${address}]` : address}:${own}/metrics`,
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

const refusal = 'HOST_NOT_LOOPBACK: Ask for the metrics as 127.0.0.1, [::1] or localhost.\n';

async function answer(
  { metrics, check }: Required<ServedProcess>,
  { url = '', method }: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  if (method !== 'GET') return response.writeHead(405).end();
  const [path] = url.split('?', 1);
  if (path === '/healthz') return response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
  if (path === '/readyz') return answerReadiness(check, response);
  if (path !== '/metrics') return response.writeHead(404).end();
  const text = await metrics.text();
  return response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
}

async function answerReadiness(check: () => Promise<void>, response: ServerResponse): Promise<unknown> {
  const failure = await check().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const [status, text] = failure === undefined ? [200, 'ready'] : [503, failure];
  return response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
}
