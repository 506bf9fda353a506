import type { RunId } from '@millrace/core';
import type { KeysCheck, Send } from '../location/keys-check.ts';
import { addressOf } from '../location/located-connector.ts';
import type { ServerAddress } from '../location/redis-location.ts';
import { isSame } from '../location/redis-location.ts';
import type { Outage } from './outage.ts';
import { keysMissing, outageOf } from './outage.ts';

/**
 * Remembers at which server all keys were found, and whether anything was noticed since after which some may be missing. Without a
 * check, as outside of clusters, it admits all commands.
 */
export class KeysGuard {
  readonly #check: KeysCheck | undefined;
  /** Number of such notices, and that number when the last successful check began. */
  #notices = 1;
  #checkedNotices = 0;
  #server: ServerAddress | undefined;

  constructor(check: KeysCheck | undefined) {
    this.#check = check;
  }

  /** Sets the source of the runs whose state must be among the keys. */
  expectRuns(known: () => readonly RunId[]): void {
    this.#check?.expectRuns(known);
  }

  /** Returns whether commands must wait for a check. */
  isDue(): boolean {
    return this.#check !== undefined && this.#checkedNotices !== this.#notices;
  }

  /** Makes a check due. */
  note(): void {
    this.#notices += 1;
  }

  /** Returns whether commands may be sent to the server of a connection. */
  admits(stream: object): boolean {
    return this.#check === undefined || (!this.isDue() && isSame(addressOf(stream), this.#server));
  }

  /** Returns whether a connection leads to another server than the one where the keys were found. */
  isElsewhere(stream: object | undefined): boolean {
    return this.#server !== undefined && stream !== undefined && !isSame(addressOf(stream), this.#server);
  }

  /**
   * Checks the keys over a connection; returns the outage that it has found. The check remains due when something was noticed
   * meanwhile. Where the cluster does not permit the questions, the check finds nothing.
   */
  async inspect(connection: { readonly stream: object }, send: Send): Promise<Outage | undefined> {
    const { stream } = connection;
    const notices = this.#notices;
    try {
      const which = await this.#check?.missing(send);
      if (which !== undefined) return keysMissing(which);
    } catch (error) {
      const outage = outageOf(error);
      if (outage !== undefined) return outage;
    }
    if (connection.stream !== stream) return undefined;
    this.#checkedNotices = notices;
    this.#server = addressOf(stream);
    return undefined;
  }
}
