import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import type { Client, Fetch, HttpResponse } from '@millrace/client';
import type { Config } from '../config/settings.ts';
import type { Cli } from '../process/cli.ts';

/** Minimum length of a reported wait, in milliseconds. */
const longMs = 1000;

/** Connects to the HTTP API of MILLRACE_URL. The command reports waits for a busy server. */
export async function connectRemote({ terminal }: Cli, api: NonNullable<Config['api']>): Promise<Client> {
  const { createHttpClient } = await import('@millrace/client');
  return createHttpClient({
    ...api,
    fetch: fetchJson,
    onWait({ status, ms }) {
      if (status === undefined || ms < longMs) return;
      const why = status === 429 ? 'takes no more requests for now' : `is busy (${status})`;
      terminal.say(`${api.url} ${why}: trying again in ${Math.ceil(ms / 1000)} s.`, 'dim');
    },
  });
}

/**
 * Requests JSON through `node:http`, which needs a tenth of the CPU time of the first `fetch` of a process.
 * Streams, files, forms and redirecting addresses use `fetch`.
 */
export const fetchJson: Fetch = async (address, request) => {
  const { body, headers } = request;
  const accept = (headers as Readonly<Record<string, string>> | undefined)?.['accept']; // the client gives plain objects
  if (accept !== 'application/json' || (body !== undefined && typeof body !== 'string')) return fetch(address, request);
  const response = await send(address, request);
  const { statusCode = 0 } = response;
  if (statusCode < 300 || statusCode >= 400 || response.headers.location === undefined)
    return answerOf(address, response);
  response.resume();
  return fetch(address, request);
};

async function send(address: string, { method = 'GET', headers, body, signal }: RequestInit): Promise<IncomingMessage> {
  const request = address.startsWith('https:') ? (await import('node:https')).request : requestHttp;
  return new Promise((resolve, reject) => {
    request(address, {
      method,
      headers: { 'accept-encoding': 'gzip', 'user-agent': 'millrace', ...(headers as Record<string, string>) },
      ...(signal instanceof AbortSignal ? { signal } : {}),
    })
      .on('response', resolve)
      .on('error', reject)
      .end(body);
  });
}

/** Reads the body immediately, so that its connection is free again even if the caller ignores the body. */
function answerOf(url: string, response: IncomingMessage): HttpResponse {
  const { statusCode: status = 0, headers } = response;
  const whole = contentsOf(response);
  // The reader of the body receives the error.
  whole.catch(() => undefined);
  const text = async () => (await whole).toString();
  const get = (name: string) => headers[name]?.toString() ?? null;
  return {
    status,
    url,
    headers: { get, has: (name) => get(name) !== null },
    body: null,
    text,
    json: async () => JSON.parse(await text()),
    blob: async () => new Blob([new Uint8Array(await whole)]),
  };
}

/** Maximum size of an answer, unpacked, in bytes: that of the largest run. */
const maxAnswerBytes = 256 * 1024 * 1024;

async function contentsOf(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxAnswerBytes) throw new Error(`The answer has more than ${maxAnswerBytes / 1024 / 1024} MiB.`);
    parts.push(part);
  }
  const whole = Buffer.concat(parts);
  if (response.headers['content-encoding'] !== 'gzip') return whole;
  const { gunzipSync } = await import('node:zlib');
  return gunzipSync(whole, { maxOutputLength: maxAnswerBytes });
}
