import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { processTerminal } from '../output/terminal/terminal.ts';
import { createCli } from '../process/cli.ts';
import { loadModelList } from './load-model-list.ts';

const fixture = fileURLToPath(new URL('../../../../test/fixtures/models-dev.json', import.meta.url));
const cli = createCli(processTerminal());

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  return `http://127.0.0.1:${port}/api.json`;
}

it('reads every model of a real list, from a file and from a server', async () => {
  const { list, leftOut } = await loadModelList(cli, fixture);
  const { readFileSync } = await import('node:fs');
  const url = await serving((_request, response) => response.end(readFileSync(fixture)));
  const fetched = await loadModelList(cli, url);

  expect(Object.keys(list.models)).toHaveLength(15);
  expect(leftOut).toEqual([]);
  expect(list.models['gpt-6-astra']).toMatchObject({
    vendor: 'openai',
    temperature: 'no',
    price: { input: 10, cache_write: 12.5, long: { above: 272_000, output: 75 }, tiers: { priority: 2 } },
  });
  expect(fetched.list).toEqual({ ...list, source: url });
});

it('reads no more than 16 MiB, whatever a server sends', async () => {
  const piece = `"${'x'.repeat(1024 * 1024)}",`;
  let sent = 0;
  const url = await serving((_request, response) => {
    response.write('[');
    const more = (): void => {
      while (sent < 200) {
        sent += 1;
        if (!response.write(piece)) return void response.once('drain', more);
      }
    };
    more();
  });

  await expect(loadModelList(cli, url)).rejects.toThrow('is larger than 16 MiB');
  expect(sent).toBeLessThan(40);
});

it.each<[string, RequestListener, string]>([
  ['an error', (_request, response) => response.writeHead(503).end('{}'), 'status 503'],
  ['a page', (_request, response) => response.end('<html>'), 'Unexpected token'],
  ['a list of something else', (_request, response) => response.end('[1, 2]'), 'no list of models'],
  ['deep nesting', (_request, response) => response.end('['.repeat(1000)), 'nested more than 50 deep'],
  ['nothing', (_request, response) => response.destroy(), 'cannot be read'],
])('refuses %s', async (_what, answer, problem) => {
  const message = expect.stringContaining(problem);
  await expect(loadModelList(cli, await serving(answer))).rejects.toMatchObject({
    code: 'MODEL_LIST_INVALID',
    message,
  });
});

it.each(['no-such-file.json', fileURLToPath(new URL('./', import.meta.url))])('refuses %s', async (file) => {
  const message = expect.stringContaining('cannot be read from');
  await expect(loadModelList(cli, file)).rejects.toMatchObject({ code: 'MODEL_LIST_INVALID', message });
});

it('asks only servers that workflows may reach', async () => {
  const closed = createCli(processTerminal());
  const confined = { ...closed, config: async () => ({ ...(await closed.config()), outbound: [] }) };
  const url = await serving((_request, response) => response.end('{}'));

  await expect(loadModelList(confined, url)).rejects.toThrow(/127\.0\.0\.1/);
});
