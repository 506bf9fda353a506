import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** Request to a receiver. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came, byte by byte. */
  readonly body: string;
}

/** A server that receives webhooks. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** The first `count` requests to a path, as soon as there are so many. */
  until(path: string, count: number): Promise<readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

/** Response of a receiver: a status, or a status and the location of a redirect. */
export type ReceiverAnswer = number | { readonly status: number; readonly location: string };

/** Starts a receiver that answers as the function says; `nth` counts from 1 for each path. */
export async function startWebhookReceiver(
  answer: (request: ReceivedRequest, nth: number) => ReceiverAnswer | Promise<ReceiverAnswer>,
): Promise<WebhookReceiver> {
  const received: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const at = (path: string): readonly ReceivedRequest[] => received.filter((one) => one.path === path);
  const server = createServer(async (incoming, outgoing) => {
    const one: ReceivedRequest = { path: incoming.url ?? '', headers: incoming.headers, body: await text(incoming) };
    received.push(one);
    for (const look of waiting) look();
    const answered = await answer(one, at(one.path).length);
    if (typeof answered === 'number') outgoing.writeHead(answered);
    else outgoing.writeHead(answered.status, { location: answered.location });
    outgoing.end();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    until: (path, count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (at(path).length < count) return;
          waiting.delete(look);
          resolve(at(path).slice(0, count));
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
