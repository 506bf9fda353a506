import type { Message, MessageBody, MessageId, MessageRef, RunId } from '@millrace/core';
import { messageOf, messageSize } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { inPortions } from '../concurrency/in-slices.ts';
import type { Blobs } from '../ports/blobs.ts';
import { BodyMissing } from '../ports/store/errors.ts';
import type { Store } from '../ports/store/port.ts';

/** Maximum number of messages that are put together in one turn of the event loop. */
const maxAtOnce = 1000;
/** Maximum number of runs of which something is kept: those without messages count nothing of the total. */
const maxRuns = 10_000;

/**
 * Cache of message bodies by run and id. Bodies never change, so a body that this process has written or read is not
 * read again. The bodies of the most recently used runs are kept, up to a total of characters. Long ones come from the
 * blobs.
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

  /**
   * Drops the bodies of a run: it has ended, or its store was reset to an earlier state, where the same ids may name
   * other bodies.
   */
  forget(run: RunId): void {
    const known = this.#runs.get(run);
    if (known === undefined) return;
    this.#runs.delete(run);
    this.#size -= known.size;
  }

  /** Returns messages in the order of their references; synchronously when they are few and this process has all bodies. */
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]> {
    if (refs.length > maxAtOnce) return this.#messages(run, refs);
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
    const found: MessageBody[] = [];
    await inPortions(ids, async (some) => {
      for (const body of await this.#read(run, some)) found.push(body);
    });
    return found;
  }

  async #messages(run: RunId, refs: readonly MessageRef[]): Promise<readonly Message[]> {
    const found: Message[] = [];
    await inPortions(refs, async (some) => {
      const ids = some.map(({ id }) => id);
      const bodies = await this.#read(run, ids);
      for (const [at, ref] of some.entries()) found.push(messageOf(ref, bodies[at] ?? throwBodyMissing(run, ref.id)));
    });
    return found;
  }

  /** Returns one body for each id. What is cached now is held: it may be dropped while the rest is read. */
  async #read(run: RunId, ids: readonly MessageId[]): Promise<readonly MessageBody[]> {
    const known = this.#of(run);
    const found = new Map(ids.map((id) => [id, known.bodies.get(id)]));
    const missing = [...found.keys()].filter((id) => found.get(id) === undefined);
    if (missing.length > 0) {
      const stored = await this.#store.bodies(run, missing);
      const read = await Promise.all(stored.map((body) => loadBody(this.#blobs, body)));
      const learned = missing.map((id, at) => ({ id, body: read[at] ?? throwBodyMissing(run, id) }));
      for (const { id, body } of learned) found.set(id, body);
      // The run may have been forgotten meanwhile, because its ids name other messages now.
      if (this.#runs.get(run) === known) this.learn(run, learned);
    }
    return ids.map((id) => found.get(id) ?? throwBodyMissing(run, id));
  }

  /** Returns the known bodies of a run and marks the run as the most recently used. */
  #of(run: RunId): CachedBodies {
    const known = this.#runs.get(run) ?? { bodies: new Map<MessageId, MessageBody>(), size: 0 };
    this.#runs.delete(run);
    this.#runs.set(run, known);
    if (this.#runs.size > maxRuns) this.#shrink();
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
      if (this.#size <= this.#limit && this.#runs.size <= maxRuns) return;
      if (this.#runs.size > 1) this.forget(run);
      else this.#shrinkOne(known);
    }
  }

  /** Drops the oldest bodies of the only run that is left. */
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
