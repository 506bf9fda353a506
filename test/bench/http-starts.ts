import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Line } from './report/line.ts';

/** Nodes of the workflows that are started by name, by the names that results have. */
const nodes = { httpStart: 20, httpStart500: 500 } as const;

/** Name of a line about starts over HTTP. */
export type HttpStartName = keyof typeof nodes;

/** Names of the lines about starts over HTTP. */
export const httpStartNames = Object.keys(nodes) as HttpStartName[]; // The type is made from the same keys.

/** Amount of work, and the Redis of the server. */
interface HttpStarts {
  readonly redisUrl: string;
  readonly starts: number;
  readonly rounds: number;
  /** Number of starts, and of health checks, before the first round. */
  readonly warmUpPieces: number;
  readonly report: (line: string) => void;
}

const program = fileURLToPath(new URL('./workload/bench-server.js', import.meta.url));
const sideBySide = 10;

/** Measures the processor time of a server for starts of published workflows; the floor is its answer to `/healthz`. */
export async function httpStartLines(
  names: readonly HttpStartName[],
  { redisUrl, starts, rounds, warmUpPieces, report }: HttpStarts,
): Promise<Readonly<Partial<Record<HttpStartName, Line>>>> {
  if (names.length === 0) return {};
  const server = fork(program, [redisUrl]);
  const [url] = (await once(server, 'message')) as [string]; // its first message
  const lines: Partial<Record<HttpStartName, Line>> = {};
  for (const name of names) {
    report(name);
    await send(`${url}/v1/workflows/${name}`, 'PUT', { yaml: yamlOf(nodes[name]) });
    const start = () => send(`${url}/v1/runs`, 'POST', { workflow: name, input: 'go' });
    const health = () => send(`${url}/healthz`, 'GET');
    await repeat(health, warmUpPieces);
    await repeat(start, warmUpPieces);
    const pairs: { readonly floor: number; readonly millrace: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      pairs.push({
        floor: await cpuOf(server, () => repeat(health, starts)),
        millrace: await cpuOf(server, () => repeat(start, starts)),
      });
    }
    const floor = Math.min(...pairs.map((pair) => pair.floor)) / starts;
    const millrace = Math.min(...pairs.map((pair) => pair.millrace)) / starts;
    const unit = `µs of a server's processor time per start of a workflow of ${nodes[name]} nodes; of GET /healthz`;
    lines[name] = { floor, millrace, ratio: millrace / floor, unit };
  }
  server.disconnect();
  return lines;
}

async function cpuOf(server: ChildProcess, work: () => Promise<unknown>): Promise<number> {
  const before = await cpuNow(server);
  await work();
  return (await cpuNow(server)) - before;
}

async function cpuNow(server: ChildProcess): Promise<number> {
  const answer = once(server, 'message');
  server.send('cpu');
  const [microseconds] = (await answer) as [number]; // the answer to 'cpu'
  return microseconds;
}

/** Calls so often, several at a time. */
async function repeat(call: () => Promise<unknown>, times: number): Promise<void> {
  let left = times;
  const one = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: sideBySide }, one));
}

async function send(url: string, method: string, body?: object): Promise<void> {
  const content = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(url, { method, ...content });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} of the benchmark was answered with ${response.status}: ${text}`);
}

function yamlOf(count: number): string {
  const ids = Array.from({ length: count }, (_, at) => `n${at}`);
  const nodesOf = ids.map((id) => `    - { id: ${id}, type: passthrough, config: {} }`);
  const edges = ids.slice(1).map((id, at) => `    - { from: n${at}, to: ${id} }`);
  return ['graph:', '  id: bench', '  nodes:', ...nodesOf, '  edges:', ...edges, ''].join('\n');
}
