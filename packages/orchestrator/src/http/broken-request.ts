import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '@millrace/api';

/** Statuses and reasons of what could not be read as a request, by the code of the parser's error. */
const reasons: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive to its end in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The address and the headers of the request have more than 16 KiB.'],
};

/** Refuses what could not be read as a request of HTTP, in the form of all other refusals, and ends its connection. */
export function refuseBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, detail] = reasons[error.code ?? ''] ?? [400, 'The request is not valid HTTP/1.1.'];
  const title = STATUS_CODES[status] ?? 'Error';
  const code = 'REQUEST_INVALID';
  const problem: Omit<Problem, 'instance' | 'requestId'> = { type: 'about:blank', title, status, detail, code };
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'content-type: application/problem+json',
    'cache-control: no-store',
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
