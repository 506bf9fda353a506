import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A request as the server got it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Response of the server: a status and JSON, or a text in its place. */
export type JsonResponse = { readonly status?: number; readonly body: unknown };

/** A server on this machine that answers JSON with JSON. */
export interface JsonServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts a server that answers as the function says. */
export async function startJsonServer(
  answer: (request: ReceivedRequest) => JsonResponse | Promise<JsonResponse>,
): Promise<JsonServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const request = { path: incoming.url ?? '', headers: incoming.headers, body: await json(incoming) };
    requests.push(request);
    const { status = 200, body } = await answer(request);
    outgoing.writeHead(status, { 'content-type': 'application/json' });
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
