import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { NetConnectOpts, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Stands between clients and a Redis, so that what is between them can break. */
export interface RedisProxy {
  readonly url: string;
  /** Returns the number of requests so far, over all connections. */
  requests(): number;
  /** Lets the k-th request from now on be the last: it is passed on or not, and then nothing is any more. Resolves when it has come. */
  endAt(k: number, fate: 'passed on' | 'lost'): Promise<void>;
  /** Passes nothing on any more from the first such command, or request of which this holds, on. Resolves when it has come. */
  endBefore(request: string | ((request: Buffer) => boolean)): Promise<void>;
  /** Passes on the first request of which this holds, and nothing after it. Resolves when it has come. */
  endAfter(holds: (request: Buffer) => boolean): Promise<void>;
  /**
   * Passes on the first request of which this holds, and breaks its connection when Redis has replied: the reply is lost. What is
   * `meanwhile` is done before.
   */
  loseReply(holds: (request: Buffer) => boolean, meanwhile?: () => Promise<unknown>): void;
  /** Breaks all connections, in the middle of what they carry; new ones are let through. */
  cut(): void;
  /** Connects to another Redis from now on, and breaks what leads to the old one. */
  redirect(url: string): void;
  /** Connects to another Redis from now on; connections that there are stay with the old one, as behind a name. */
  repoint(url: string): void;
  /** Passes nothing on, without anybody noticing, until the answer is called. */
  hold(): () => void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

interface LostReply {
  readonly holds: (request: Buffer) => boolean;
  readonly meanwhile: () => Promise<unknown>;
}

interface Last {
  holds(request: Buffer): boolean;
  readonly fate: 'passed on' | 'lost';
  readonly reached: () => void;
}

/** Opens a proxy, on a socket of its own, in front of a Redis. */
export async function openRedisProxy(url: string): Promise<RedisProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-proxy-'));
  const path = join(directory, 'proxy.sock');
  const pairs = new Set<Pair>();
  let target = endpointOf(url);
  let count = 0;
  let last: Last | undefined;
  let over = false;
  let lost: LostReply | undefined;

  const listener = createServer({ pauseOnConnect: true }, (client) => {
    if (over) return void client.destroy();
    const server = connect(target);
    const pair = { client, server };
    pairs.add(pair);
    const part = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', part).on('close', part);
    server.pipe(client);
    const take = requestsIn((request) => pass(pair, request));
    client.on('data', take);
    client.resume();
  });

  function pass({ client, server }: Pair, request: Buffer): void {
    if (over) return;
    count++;
    if (lost?.holds(request) === true) {
      const { meanwhile } = lost;
      lost = undefined;
      server.unpipe(client);
      server.once('data', () => void meanwhile().finally(() => client.destroy())).resume();
      server.write(request);
      return;
    }
    const isLast = last?.holds(request) === true;
    if (!isLast || last?.fate === 'passed on') server.write(request);
    if (isLast) end();
  }

  /** Closes all connections: requests that were passed on still arrive, and no response comes back. */
  function end(): void {
    over = true;
    for (const { client, server } of pairs) {
      server.unpipe(client);
      server.resume();
      server.end();
      client.removeAllListeners('close');
      client.destroy();
    }
    pairs.clear();
    last?.reached();
  }

  const endOn = (holds: Last['holds'], fate: Last['fate']) =>
    new Promise<void>((reached) => {
      last = { holds, fate, reached };
    });

  listener.listen(path);
  await once(listener, 'listening');
  return {
    url: `unix://${path}`,
    requests: () => count,
    endAt: (k, fate) => {
      const at = count + k;
      return endOn(() => count === at, fate);
    },
    endBefore: (wanted) =>
      endOn(typeof wanted === 'string' ? (request) => request.includes(`\r\n${wanted}\r\n`) : wanted, 'lost'),
    endAfter: (holds) => endOn(holds, 'passed on'),
    loseReply(holds, meanwhile = async () => undefined) {
      lost = { holds, meanwhile };
    },
    cut() {
      for (const { client } of pairs) client.destroy();
    },
    redirect(next) {
      target = endpointOf(next);
      for (const { client } of pairs) client.destroy();
    },
    repoint(next) {
      target = endpointOf(next);
    },
    hold() {
      const held = [...pairs];
      for (const { client, server } of held) {
        client.pause();
        server.pause();
      }
      return () => {
        for (const { client, server } of held) {
          client.resume();
          server.resume();
        }
      };
    },
    async close() {
      over = true;
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      const closed = once(listener, 'close');
      listener.close();
      await closed;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function endpointOf(url: string): NetConnectOpts {
  const { protocol, pathname, hostname, port } = new URL(url);
  return protocol === 'unix:' ? { path: pathname } : { host: hostname, port: Number(port) };
}

/** Cuts what a client of Redis sends into requests, however the network has cut it. */
function requestsIn(take: (request: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = endOfRequest(rest); end !== undefined; end = endOfRequest(rest)) {
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

/** Returns the end of the first request, `*<count>` and as many `$<length>` with bytes; undefined while incomplete. */
function endOfRequest(bytes: Buffer): number | undefined {
  const head = lineAt(bytes, 0);
  if (head === undefined) return undefined;
  let at = head.end;
  for (let left = Number(head.text.slice(1)); left > 0; left--) {
    const length = lineAt(bytes, at);
    if (length === undefined) return undefined;
    at = length.end + Number(length.text.slice(1)) + 2;
  }
  return at <= bytes.length ? at : undefined;
}

function lineAt(bytes: Buffer, from: number): { readonly text: string; readonly end: number } | undefined {
  const end = bytes.indexOf('\r\n', from);
  return end < 0 ? undefined : { text: bytes.toString('latin1', from, end), end: end + 2 };
}
