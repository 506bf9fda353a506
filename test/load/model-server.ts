import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Server that stands for a model with the API of OpenAI. */
export interface ModelServer {
  readonly url: string;
  close(): void;
}

const completion = JSON.stringify({
  id: 'load',
  object: 'chat.completion',
  created: 0,
  model: 'load',
  choices: [{ index: 0, message: { role: 'assistant', content: 'That is done.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 4, total_tokens: 104 },
});

/** Starts a server that answers each request after the same time. */
export async function startModelServer(afterMs: number): Promise<ModelServer> {
  const server = createServer(async (request, response) => {
    request.resume();
    await sleep(afterMs);
    response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
