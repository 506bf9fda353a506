import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { startDeadline } from '@millrace/catalog';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Time limit of answers to open requests, in milliseconds; longer than any tool waits for its run. */
const longestMs = 60_000;

/** Standard input and output as a transport of the Model Context Protocol. */
export interface McpStdio {
  readonly transport: StdioServerTransport;
  /** Fulfilled when the input has ended, and all requests are answered. */
  readonly ended: Promise<void>;
}

/**
 * Opens standard input and output for the protocol. The transport of the SDK drops active requests when its input
 * ends; this one passes the end on when all requests are answered, so piped requests get their answers.
 */
export function openMcpStdio(): McpStdio {
  const requests = new OpenRequests();
  const input = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => void requests.allAnswered().then(() => done()),
  });
  const ended = new Promise<void>((resolve) => input.once('end', resolve));
  process.stdin.once('close', () => input.end());
  return { transport: new AnsweringTransport(process.stdin.pipe(input), requests), ended };
}

/** The requests that are not answered yet. */
class OpenRequests {
  readonly #open = new Set<RequestId>();
  readonly #answers = new EventEmitter();
  #isRead: () => void = () => undefined;
  /** Fulfilled when the input is read: it may have ended before. */
  readonly #reading = new Promise<void>((resolve) => {
    this.#isRead = resolve;
  });

  startReading(): void {
    this.#isRead();
  }

  add(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled')
      this.settle(message.params?.['requestId'] as RequestId); // an unknown id is not in the set
    // A subscription is answered by notifications.
    else if ('id' in message && message.method !== 'subscriptions/listen') this.#open.add(message.id);
  }

  settle(id: RequestId): void {
    this.#open.delete(id);
    this.#answers.emit('answer');
  }

  async allAnswered(): Promise<void> {
    await this.#reading;
    // The last message is read in the next iteration of the event loop.
    await setImmediate();
    const { signal, clear } = startDeadline(longestMs);
    while (this.#open.size > 0 && !signal.aborted) {
      await once(this.#answers, 'answer', { signal }).catch(() => undefined);
    }
    clear();
  }
}

class AnsweringTransport extends StdioServerTransport {
  readonly #requests: OpenRequests;

  constructor(input: Readable, requests: OpenRequests) {
    super(input);
    this.#requests = requests;
  }

  override async start(): Promise<void> {
    const { onmessage } = this;
    this.onmessage = (message) => {
      this.#requests.add(message);
      onmessage?.(message);
    };
    await super.start();
    this.#requests.startReading();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#requests.settle(message.id);
  }
}
