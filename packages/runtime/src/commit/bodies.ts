import type { Message, MessageBody, MessageId, MessageRef, RunId } from '@millrace/core';
import { messageOf, messageSize } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import type { Blobs } from '../blobs/port.ts';
import { BodyMissing } from '../store/body-missing.ts';
import type { Store } from '../store/port.ts';

/**
 * Message bodies by run and id. Bodies never change, so what this process has written or read once is not asked for
 * again. Those of the runs used last are kept, up to a total of characters. Long ones come from the blobs.
 */
export class Bodies {
  readonly #store: Store;
  readonly #blobs: Blobs;
  readonly #limit: number;
  readonly #runs = new Map<RunId, CachedBodies>();
  #size = 0;

  constructor(store: Store, blobs: Blobs, limit: number) {
    this.#store = store;
    this.#blobs = blobs;
    this.#limit = limit;
  }

  /** Notes bodies that a commit of this process has stored. */
  learn(run: RunId, bodies: readonly { readonly id: MessageId; readonly body: MessageBody }[]): void {
    if (bodies.length === 0) return;
    const known = this.#of(run);
    for (const { id, body } of bodies) this.#keep(known, id, body);
    this.#shrink();
  }

  /** Forgets a run: it has ended, or its store turned out to be elsewhere, where the same ids may name other bodies. */
  forget(run: RunId): void {
    const known = this.#runs.get(run);
    if (known === undefined) return;
    this.#runs.delete(run);
    this.#size -= known.size;
  }

  /** Messages in the order of their references; at once when this process has all of their bodies. */
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]> {
    const known = this.#of(run);
    const found: Message[] = [];
    for (const ref of refs) {
      const body = known.bodies.get(ref.id);
      if (body === undefined) return this.#messages(run, refs);
      found.push(messageOf(ref, body));
    }
    return found;
  }

  async read(run: RunId, ids: readonly MessageId[]): Promise<readonly MessageBody[]> {
    if (ids.length === 0) return [];
    const known = this.#of(run);
    const missing = [...new Set(ids)].filter((id) => !known.bodies.has(id));
    const stored = missing.length === 0 ? [] : await this.#store.bodies(run, missing);
    const read = await Promise.all(stored.map((body) => loadBody(this.#blobs, body)));
    missing.forEach((id, at) => {
      const body = read[at];
      if (body !== undefined) this.#keep(known, id, body);
    });
    const found = ids.map((id) => known.bodies.get(id) ?? throwBodyMissing(run, id));
    this.#shrink();
    return found;
  }

  async #messages(run: RunId, refs: readonly MessageRef[]): Promise<readonly Message[]> {
    const read = await this.read(
      run,
      refs.map(({ id }) => id),
    );
    return refs.map((ref, at) => messageOf(ref, read[at] as MessageBody)); // `read` gives one body per id
  }

  /** What is known of a run, which now is the one used last. */
  #of(run: RunId): CachedBodies {
    const known = this.#runs.get(run) ?? { bodies: new Map<MessageId, MessageBody>(), size: 0 };
    this.#runs.delete(run);
    this.#runs.set(run, known);
    return known;
  }

  #keep(known: CachedBodies, id: MessageId, body: MessageBody): void {
    if (known.bodies.has(id)) return;
    const size = messageSize(body);
    known.bodies.set(id, body);
    known.size += size;
    this.#size += size;
  }

  #shrink(): void {
    for (const [run, known] of this.#runs) {
      if (this.#size <= this.#limit) return;
      if (this.#runs.size > 1) this.forget(run);
      else this.#shrinkOne(known);
    }
  }

  /** Of the only run that is left, the bodies that were learned first go first. */
  #shrinkOne(known: CachedBodies): void {
    for (const [id, body] of known.bodies) {
      if (this.#size <= this.#limit) return;
      known.bodies.delete(id);
      known.size -= messageSize(body);
      this.#size -= messageSize(body);
    }
  }
}

interface CachedBodies {
  readonly bodies: Map<MessageId, MessageBody>;
  size: number;
}

function throwBodyMissing(run: RunId, id: MessageId): never {
  throw new BodyMissing(run, id);
}
