import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { processTerminal } from '../output/terminal/terminal.ts';
import { createCli } from '../process/cli.ts';
import { connectRemote } from './connect-remote.ts';

it('reports that it waits for a server with a request limit', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else response.setHeader('content-type', 'application/json').end('{"status":"ready","workers":1}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  const said: string[] = [];
  const cli = createCli({ ...processTerminal(), say: (text) => void said.push(text) });
  const url = `http://127.0.0.1:${port}`;

  expect(await (await connectRemote(cli, { url })).readiness()).toMatchObject({ status: 'ready' });

  expect(said.join()).toContain(`${url} takes no more requests for now: trying again in 1 s.`);
  server.close();
});
