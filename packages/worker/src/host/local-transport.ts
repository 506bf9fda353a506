import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/client';
import { drained } from '../programs/child-process.ts';
import type { ProgramMark } from '../programs/program-mark.ts';
import { readMessageLines } from '../programs/read-lines.ts';
import type { McpBound } from './mcp-bound.ts';
import { sends, streamLimits } from './mcp-bound.ts';

/** Command that starts a server. */
export interface LocalCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mark: ProgramMark;
}

/** Time that a server may take to end by itself when its input has ended, and again after a signal. */
const endingMs = 2000;

/**
 * Transport to a server that is started as a command, and speaks over its standard input and output. That of the SDK
 * bounds one line, but not a flood of lines, and continues to read a server that has exceeded the bound.
 */
export class LocalTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #command: LocalCommand;
  readonly #bound: McpBound;
  readonly #closing = new AbortController();
  #server: ServerProcess | undefined;
  #ended: Promise<void> | undefined;

  constructor(command: LocalCommand, bound: McpBound) {
    this.#command = command;
    this.#bound = bound;
  }

  async start(): Promise<void> {
    const child = spawned(this.#command);
    const output = readMessageLines(child.stdout, {
      limits: streamLimits,
      onLine: (line) => this.#receive(line),
      onExceeded: (limit) => void this.#bound.exceed(sends(limit)),
    });
    // It must not go on while it is asked to end.
    this.#bound.signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    for (const stream of [child.stdin, child.stdout]) stream.on('error', (error) => this.onerror?.(error));
    // Each message that waits until the server reads is a listener.
    child.stdin.setMaxListeners(0);
    child.once('close', () => this.onclose?.());
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await once(child, 'spawn');
    child.on('error', (error) => this.onerror?.(error));
    this.#server = { child, output, exited, closed };
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#server === undefined) throw new Error('The server has not been started.');
    const { child, output } = this.#server;
    if ('method' in message && 'id' in message) output.restart();
    if (!child.stdin.write(serializeMessage(message)))
      await once(child.stdin, 'drain', { signal: this.#closing.signal });
  }

  /** Ends the server, and the processes that it has started. */
  close(): Promise<void> {
    this.#closing.abort();
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    if (this.#server === undefined) return;
    const { child, exited, closed } = this.#server;
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await isWithin(exited, endingMs)) break;
      child.kill(signal);
    }
    await exited;
    // Processes that the server has started may hold its output.
    await this.#command.mark.kill();
    await drained(child, closed);
  }

  #receive(line: string): void {
    if (this.#bound.signal.aborted) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // Servers may print other lines, too.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.onmessage?.(message);
  }
}

interface ServerProcess {
  readonly child: ReturnType<typeof spawned>;
  readonly output: ReturnType<typeof readMessageLines>;
  readonly exited: Promise<void>;
  readonly closed: Promise<void>;
}

const spawned = ({ command, args, cwd, env, mark }: LocalCommand) =>
  spawn(command, args, { cwd, env: { ...env, ...mark.env }, stdio: ['pipe', 'pipe', 'ignore'] });

/** Returns whether an event happens within a time. */
async function isWithin(event: Promise<void>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const late = sleep(ms, false, { signal: over.signal }).catch(() => false);
  const isInTime = await Promise.race([event.then(() => true), late]);
  over.abort();
  return isInTime;
}
