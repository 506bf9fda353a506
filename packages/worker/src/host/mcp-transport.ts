import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer } from '@millrace/core';
import type { Transport } from '@modelcontextprotocol/client';
import { resolveSecrets } from '../context/reveal-secrets.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { wholeEnvironment } from '../programs/config.ts';
import { markProgram } from '../programs/program-mark.ts';

/** Options of a transport. */
export interface TransportOptions extends Pick<WorkerContext, 'secret'> {
  readonly fetch: typeof fetch;
}

/** A transport to a server; `end` closes its client, and ends what the server has started. */
export interface McpTransport {
  readonly transport: Transport;
  end(close: () => Promise<void>): Promise<void>;
}

/** Returns the transport to a server; one that is a command is started when the client connects. */
export async function transportTo(server: McpServer, { secret, fetch }: TransportOptions): Promise<McpTransport> {
  const revealed = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolveSecrets(value, secret)]));
  if (server.type === 'remote') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const requestInit = { headers: revealed(server.headers) };
    return {
      transport: new StreamableHTTPClientTransport(new URL(server.url), { fetch, requestInit }),
      end: (close) => close(),
    };
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args, cwd, env, inheritEnv } = server;
  const mark = markProgram();
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...(inheritEnv ? wholeEnvironment() : getDefaultEnvironment()), ...revealed(env), ...mark.env },
    stderr: 'ignore',
  });
  return {
    transport,
    async end(close) {
      const { pid } = transport;
      const closing = close();
      // Processes that the server has started may hold its output, and the client waits for the end of that.
      await Promise.race([closing, ended(pid)]);
      await mark.kill();
      await closing;
    },
  };
}

const lookingMs = 20;

/** Waits for the end of a process, if there is one. */
async function ended(pid: number | null): Promise<void> {
  while (pid !== null && isAlive(pid)) await sleep(lookingMs);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
