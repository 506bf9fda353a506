import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentTerminal } from '../../../test/support/processes/silent-terminal.ts';
import { parseConfig } from './config/parse-config.ts';
import { createCli } from './process/cli.ts';
import { createProgram } from './program.ts';

/* Options of commands as the server gets them: in the query of a request, or in its body. */

const sent: string[] = [];
const server = createServer(async (request, response) => {
  sent.push(`${request.method} ${decodeURIComponent(request.url ?? '')} ${await text(request)}`.trim());
  if (request.url === '/v1/runs/r1') return void response.end('{"id":"r1","status":"waiting","tasks":[]}');
  response.writeHead(404, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify({ status: 404, code: 'RUN_UNKNOWN', title: 'x', detail: 'x', type: 'x' }));
});
let url = '';
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Returns the last request of a command, which ends with the refusal of the server. */
async function lastRequest(line: string): Promise<string | undefined> {
  sent.length = 0;
  const args = line.split(' ');
  const config = async () => parseConfig({ MILLRACE_URL: url });
  const program = createProgram({ ...createCli(silentTerminal), config }, args);
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow();
  return sent.at(-1);
}

const moment = '2026-01-02T00:00:00Z';
const at = Date.parse(moment);

it.each([
  [
    'stop r1 --scope talk',
    'POST /v1/runs/r1/stop {"mode":"graceful","note":"stopped on the command line","scope":"talk"}',
  ],
  [`runs --until ${moment} --search word`, `GET /v1/runs?limit=20&q=word&until=${at}`],
  ['runs --text word', 'GET /v1/runs?limit=20&text=word'],
  [`usage --by model --until ${moment}`, `GET /v1/usage?by=model&until=${at}&limit=200`],
  [`bulk cancel --tag x --until ${moment}`, `POST /v1/bulk {"action":"cancel","filter":{"tag":"x","until":"${at}"}}`],
  ['webhooks deliveries wh_1 --state failed', 'GET /v1/webhooks/wh_1/deliveries?state=failed'],
  ['webhooks change wh_1 --url https://b.example', 'PATCH /v1/webhooks/wh_1 {"url":"https://b.example"}'],
  [
    'schedule create n team --cron @daily --paused --compat chatdev',
    'POST /v1/schedules {"id":"n","run":{"workflow":"team","compat":"chatdev"},"cron":"@daily","paused":true}',
  ],
  [
    'answer r1.a1.1 --reject dear',
    'POST /v1/tasks/r1.a1.1/answer {"data":{"decision":"reject","reason":"dear"},"attachments":[]}',
  ],
  ['artifacts r1 --activation a1', 'GET /v1/runs/r1/artifacts?activation=a1'],
])('sends the options of `millrace %s`', async (line, request) => {
  expect(await lastRequest(line)).toBe(request);
});
