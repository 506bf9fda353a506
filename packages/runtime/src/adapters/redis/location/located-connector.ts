import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import { AbstractConnector } from 'ioredis';
import type { MasterLocator } from './master-locator.ts';
import type { ServerAddress } from './redis-location.ts';

type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

/** Interval between two attempts to find the master, in milliseconds. */
const everyMs = 250;

const addresses = new WeakMap<object, ServerAddress>();

/** Returns the server that a stream of a located connection is connected to. */
export const addressOf = (stream: object): ServerAddress | undefined => addresses.get(stream);

/** Creates the connector of connections to the current master, which it locates at each attempt. */
export const connectorTo = (locator: MasterLocator): NonNullable<RedisOptions['Connector']> =>
  class LocatedConnector extends AbstractConnector {
    readonly #tls: RedisOptions['tls'];

    // The client passes its own options.
    constructor(options: unknown) {
      const { disconnectTimeout = 250, tls } = options as RedisOptions;
      super(disconnectTimeout);
      this.#tls = tls;
    }

    override check({ role }: { readonly role?: string }): boolean {
      const isMaster = role === undefined || role === 'master';
      if (!isMaster) locator.distrust();
      return isMaster;
    }

    /** Rejects only after `disconnect`: the client would give up. */
    override async connect(emit: (type: string, error: Error) => void): Promise<Stream> {
      this.connecting = true;
      while (this.connecting) {
        const stream = await this.#attempt(emit);
        if (stream !== undefined) return stream;
        await sleep(everyMs);
      }
      throw new Error('Connection is closed.');
    }

    async #attempt(emit: (type: string, error: Error) => void): Promise<Stream | undefined> {
      try {
        const address = await locator.locate();
        return this.connecting ? this.#open(address) : undefined;
      } catch (error) {
        if (this.connecting) emit('error', error instanceof Error ? error : new Error(String(error)));
        return undefined;
      }
    }

    #open({ host, port }: ServerAddress): Stream {
      const stream =
        this.#tls === undefined ? createConnection({ host, port }) : connectTls({ host, port, ...this.#tls });
      addresses.set(stream, { host, port });
      stream.once('error', (error) => {
        this.firstError = error;
        locator.forget({ host, port });
      });
      this.stream = stream;
      return stream;
    }
  };
