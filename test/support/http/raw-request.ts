import type { OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request as it goes over the wire, which `fetch` would correct or refuse. */
export interface RawRequest {
  readonly method: string;
  /** Sent as it is. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** Response to a raw request. */
export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request to a server. The answer counts as soon as it has come, whether all of the body was sent or not. */
export function sendRaw(url: string, { method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const announced = headers['content-length'] !== undefined && body === undefined;
    const sent = request({ hostname, port, method, path, headers, agent: announced ? false : agent }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      text(response).then((body) => {
        if (announced) sent.destroy();
        resolve({ status, type: answered['content-type'] ?? '', text: body });
      }, reject);
    });
    sent.on('error', reject);
    if (announced) sent.flushHeaders();
    else sent.end(body);
  });
}
