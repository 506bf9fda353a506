import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Millrace } from '../millrace.ts';
import type { HttpOptions } from './http.ts';
import { ApiProblem, ConnectionError, RunFailedError, UnexpectedResponseError } from './problem.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) stop(server);
});

describe('the events of a run', () => {
  it('continue after a connection breaks that was idle for longer than the retry window', async () => {
    const asked: (string | undefined)[] = [];
    const { run } = await served(({ headers }, response) => {
      asked.push(headers['last-event-id'] as string | undefined); // it is sent once
      if (asked.length === 1) tell(response, 'run.started');
      else if (asked.length === 2) tell(response, 'run.finished').end();
      else response.writeHead(204).end();
      if (asked.length === 1) setTimeout(() => response.destroy(), 5);
    });

    expect(await typesOf(run.events({ patience: 0 }))).toEqual(['run.started', 'run.finished']);
    expect(asked).toEqual([undefined, 'run.started', 'run.finished']);
  });

  it('end when all events were received before the outage', async () => {
    const { run, server } = await served((_, response) => {
      tell(response, 'run.finished').end();
      server.close();
    });

    expect(await typesOf(run.events())).toEqual(['run.finished']);
  });

  it.each([
    ['are refused where the server no longer knows their place', 'run.started'],
    ['end where the server no longer knows how they ended', 'run.finished'],
  ])('%s', async (_, type) => {
    const { run } = await served(({ headers }, response) => {
      if (headers['last-event-id'] === undefined) tell(response, type).end();
      else response.writeHead(409, { 'content-type': 'application/problem+json' }).end('{"code":"EVENT_UNKNOWN"}');
    });

    const types = typesOf(run.events());
    if (type === 'run.finished') expect(await types).toEqual([type]);
    else await expect(types).rejects.toMatchObject({ name: 'ApiProblem', code: 'EVENT_UNKNOWN' });
  });

  it('fail with the reason when the outage continues', async () => {
    const { run } = await served((_, response) => void response.destroy());
    await expect(typesOf(run.events({ patience: 50 }))).rejects.toThrow(ConnectionError);
  });

  it('fail at once when another service answers', async () => {
    const { run, url } = await served((_, response) => void response.end('hi'));
    await expect(typesOf(run.events())).rejects.toThrow(UnexpectedResponseError);
    await expect(run.describe()).rejects.toThrow(`${url} is no Millrace API`);
  });
});

describe('the result of a run', () => {
  it('arrives after an outage of the server', async () => {
    let asked = 0;
    const { run } = await served((_, response) => {
      asked += 1;
      if (asked < 3) response.destroy();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify({ finishedAt: 1, output: 'x' }));
    });

    expect(await run.result({ timeout: '1m' })).toMatchObject({ output: 'x' });
    expect(asked).toBe(3);
  });

  it('fails when the outage exceeds the retry window', async () => {
    const { run } = await served((_, response) => void response.destroy());
    await expect(run.result({ patience: 50 })).rejects.toThrow(ConnectionError);
    await expect(run.result({ timeout: 50 })).rejects.toThrow(ConnectionError);
  });

  it('is not requested again once it has arrived', async () => {
    const failed = { finishedAt: 1, status: 'failed', error: { code: 'INTERNAL', message: 'no' } };
    const { run } = await served((_, response) => void response.end(JSON.stringify(failed)));
    await expect(run.result()).rejects.toThrow(RunFailedError);
  });
});

describe('a request', () => {
  it('reports that it waits for a retry', async () => {
    const waits: unknown[] = [];
    const { millrace } = await served((_, response) => void response.writeHead(429, { 'retry-after': '0' }).end(), {
      retries: 1,
      onWait: (wait) => void waits.push(wait),
    });
    await expect(millrace.readiness()).rejects.toThrow(ApiProblem);
    expect(waits).toEqual([{ status: 429, ms: 0 }]);
  });

  it('names the server when another service refuses it', async () => {
    const { run, url } = await served((_, response) => void response.writeHead(404).end('<html>no</html>'));
    await expect(run.describe()).rejects.toThrow(
      `${url} answered with the status 404, and not as a Millrace API does.`,
    );
  });

  it('is not sent with a key that an error message would show', () => {
    expect(() => new Millrace({ url: 'http://127.0.0.1', apiKey: 'mk_secret\n' })).toThrow(
      /^(?!.*mk_secret).*line break/,
    );
  });
});

/** A client of a server that answers so, which asks once unless told otherwise, and a run there. */
async function served(listener: RequestListener, options: Partial<HttpOptions> = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  const url = `http://127.0.0.1:${port}`;
  const millrace = new Millrace({ url, retries: 0, ...options });
  return { server, url, millrace, run: millrace.runs.get('run_1') };
}

function stop(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Tells one event, with its type for an id. */
function tell(response: ServerResponse, type: string): ServerResponse {
  response.setHeader('content-type', 'text/event-stream');
  response.write(`id: ${type}\ndata: ${JSON.stringify({ id: type, event: { type } })}\n\n`);
  return response;
}

async function typesOf(events: AsyncIterable<{ readonly event: { readonly type: string } }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of events) types.push(event.type);
  return types;
}
