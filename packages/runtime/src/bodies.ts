import type { MessageBody, MessageId, RunId } from '@millrace/core';
import type { Store } from './store/port.ts';

/**
 * Message bodies by run and id. Bodies never change, so what this process has written or read once is not asked for
 * again; the most recently used ones are kept, up to a total of characters.
 */
export class Bodies {
  readonly #store: Store;
  readonly #limit: number;
  readonly #known = new Map<string, { readonly body: MessageBody; readonly size: number }>();
  #size = 0;

  constructor(store: Store, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  /** Notes bodies that a commit of this process has stored. */
  learn(run: RunId, bodies: readonly { readonly id: MessageId; readonly body: MessageBody }[]): void {
    for (const { id, body } of bodies) this.#keep(`${run} ${id}`, body);
  }

  /** Forgets what it knows of a run whose store turned out to be elsewhere: the same ids may name other bodies there. */
  forget(run: RunId): void {
    for (const [key, { size }] of this.#known) {
      if (!key.startsWith(`${run} `)) continue;
      this.#known.delete(key);
      this.#size -= size;
    }
  }

  async read(run: RunId, ids: readonly MessageId[]): Promise<readonly MessageBody[]> {
    const found = new Map<MessageId, MessageBody>();
    for (const id of new Set(ids)) {
      const known = this.#known.get(`${run} ${id}`);
      if (known !== undefined) found.set(id, known.body);
    }
    const missing = [...new Set(ids)].filter((id) => !found.has(id));
    const read = missing.length === 0 ? [] : await this.#store.bodies(run, missing);
    missing.forEach((id, at) => {
      const body = read[at];
      if (body === undefined) return;
      found.set(id, body);
      this.#keep(`${run} ${id}`, body);
    });
    return ids.map((id) => found.get(id) ?? lost(run, id));
  }

  #keep(key: string, body: MessageBody): void {
    if (this.#known.has(key)) return;
    const size = sizeOf(body);
    this.#known.set(key, { body, size });
    this.#size += size;
    for (const [oldest, { size: freed }] of this.#known) {
      if (this.#size <= this.#limit) return;
      this.#known.delete(oldest);
      this.#size -= freed;
    }
  }
}

const sizeOf = ({ content, metadata }: MessageBody): number =>
  200 +
  (typeof content === 'string' ? content.length : JSON.stringify(content).length) +
  (metadata === undefined ? 0 : JSON.stringify(metadata).length);

function lost(run: RunId, id: MessageId): never {
  throw new Error(`run ${run} refers to message ${id}, which is not stored`);
}
