import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandResult, RunningCommand } from '../processes/millrace.ts';
import { millrace, startMillrace, startServer } from '../processes/millrace.ts';
import type { ApiResponse } from './http.ts';
import { ask } from './http.ts';

/** The nodes of the chain that is run: agents that take a few seconds in all, so that it is executing when something happens. */
export const chainNodes: readonly string[] = Array.from({ length: 8 }, (_, at) => `N${at}`);
const chain = `graph:
  id: chain
  nodes:
${chainNodes.map((id) => `    - { id: ${id}, type: agent, config: { provider: scripted, name: m, params: { default: { text: said, delay_ms: 400 } } } }`).join('\n')}
  edges:
${chainNodes
  .slice(1)
  .map((id, at) => `    - { from: N${at}, to: ${id} }`)
  .join('\n')}
`;

/** A server and a worker, each in a process of its own. */
export interface ServerAndWorker {
  readonly url: string;
  /** Starts a run of the chain. */
  start(): Promise<ApiResponse>;
  /** Starts one and waits until a node has been worked on; its id. */
  underWay(): Promise<string>;
  /** The result of a command at the same Redis, in a folder with `chain.yaml`. */
  command(...args: readonly string[]): Promise<CommandResult>;
  /** Resolves when both have said it. */
  say(pattern: RegExp): Promise<void>;
  /** Ends both politely; what each has said, by lines. */
  end(): Promise<readonly { readonly code: number | null; readonly lines: readonly string[] }[]>;
  /** Ends both at once, and removes what they have left. */
  close(): Promise<void>;
}

/** Starts them, with further variables. */
export async function serveAndWork(
  redisUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServerAndWorker> {
  const cwd = mkdtempSync(join(tmpdir(), 'millrace-serving-'));
  writeFileSync(join(cwd, 'chain.yaml'), chain);
  const env = { REDIS_URL: redisUrl, MILLRACE_DRAIN_MS: '0', ...variables };
  const worker = startMillrace(['worker'], { cwd, env });
  const server = await startServer(['serve', '--port', '0'], { cwd, env });
  const processes: readonly RunningCommand[] = [server, worker];
  const { url } = server;
  await worker.says(/Working on runs/);
  const stop = (signal: NodeJS.Signals) => Promise.all(processes.map((one) => one.stop(signal)));
  const start = () => ask(`${url}/v1/runs`, { workflow: { yaml: chain }, input: 'Go.' });
  return {
    url,
    start,
    async underWay() {
      const id = String((await start()).body['runId']);
      while (((await ask(`${url}/v1/runs/${id}`)).body['activations'] as number) < 2) await sleep(50);
      return id;
    },
    command: (...args) => millrace(args, { cwd, env }),
    async say(pattern) {
      await Promise.all(processes.map((one) => one.says(pattern)));
    },
    async end() {
      const ended = await stop('SIGTERM');
      return ended.map(({ code, stderr }) => ({ code, lines: stderr.split('\n').filter((line) => line !== '') }));
    },
    async close() {
      await stop('SIGKILL');
      rmSync(cwd, { recursive: true });
    },
  };
}

/** Asks until it is answered with a status; the milliseconds that took, and all answers before. */
export async function untilStatus(
  status: number,
  asking: () => Promise<ApiResponse>,
): Promise<{ readonly ms: number; readonly before: readonly ApiResponse[] }> {
  const before: ApiResponse[] = [];
  const began = performance.now();
  for (;;) {
    const answered = await asking();
    if (answered.status === status) return { ms: performance.now() - began, before };
    before.push(answered);
    await sleep(100);
  }
}
