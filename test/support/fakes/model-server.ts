import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../http/listen.ts';

/** Request to a model server. */
export interface ModelRequest {
  readonly messages: readonly { readonly content: string }[];
  readonly max_tokens: number;
}

/** Response to a request: an answer after a while, a refusal, or none at all. */
export type Manner =
  | { readonly type: 'answer'; readonly afterMs?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly type: 'refuse'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly type: 'silence' };

/** A server that stands for a model and counts a token for each character; its answers are as long as they may be. */
export interface ModelServer {
  readonly url: string;
  readonly requests: readonly { readonly at: number; readonly request: ModelRequest }[];
  /** Tokens of all that it has answered. */
  readonly tokens: number;
  close(): Promise<void>;
}

/** Starts a model server; `manner` is asked for each request, which count from 1. */
export async function startModelServer(
  manner: (n: number) => Manner = () => ({ type: 'answer' }),
): Promise<ModelServer> {
  const requests: { at: number; request: ModelRequest }[] = [];
  let tokens = 0;
  const server = createServer(async (incoming, outgoing) => {
    const request = (await json(incoming)) as ModelRequest;
    requests.push({ at: Date.now(), request });
    const how = manner(requests.length);
    if (how.type === 'silence') return;
    if (how.type === 'answer' && how.afterMs !== undefined) await new Promise((done) => setTimeout(done, how.afterMs));
    outgoing.writeHead(how.type === 'answer' ? 200 : how.status, {
      'content-type': 'application/json',
      ...how.headers,
    });
    if (how.type === 'refuse') return void outgoing.end(JSON.stringify({ error: { message: 'not now' } }));
    const prompt = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    tokens += prompt + request.max_tokens;
    const usage = { prompt_tokens: prompt, completion_tokens: request.max_tokens };
    outgoing.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: 'done' } }], usage }));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get tokens() {
      return tokens;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
