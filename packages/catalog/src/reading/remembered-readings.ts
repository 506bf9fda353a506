import type { ReadReply, ReadTask } from './read-task.ts';

/** Characters of texts and results that are kept in all. */
const mostCharacters = 8 * 1024 * 1024;

/** A result that is kept, or will be. */
interface Reading {
  readonly reply: Promise<ReadReply>;
  /** In characters; of a reading in progress, that of its key. */
  readonly size: number;
}

/**
 * The latest results of reading texts. A text is read once for an owner and the same options, also if it is wanted several
 * times at once; results must not be changed. Only valid texts are kept: a busy machine may find problems that another one does not
 * have, such as a limit of time. An owner never learns from the time of an answer what another one has read.
 */
export class RememberedReadings {
  /** By owner, options and text; the least recently used first. */
  readonly #readings = new Map<string, Reading>();
  #size = 0;

  /** Returns the result for a task of an owner, which `read` makes unless it is known. */
  of(task: ReadTask, owner: string, read: () => Promise<ReadReply>): Promise<ReadReply> {
    const key = keyOf(task, owner);
    const known = this.#readings.get(key);
    if (known !== undefined) {
      this.#drop(key);
      this.#keep(key, known);
      return known.reply;
    }
    const reading: Reading = { reply: read(), size: key.length };
    this.#keep(key, reading);
    const end = (size?: number) => {
      if (this.#readings.get(key) !== reading) return;
      this.#drop(key);
      if (size !== undefined) this.#keep(key, { ...reading, size });
    };
    reading.reply.then(
      (reply) => end(reply.isValid ? key.length + JSON.stringify(reply).length : undefined),
      () => end(),
    );
    return reading.reply;
  }

  #keep(key: string, reading: Reading): void {
    this.#readings.set(key, reading);
    this.#size += reading.size;
    for (const oldest of this.#readings.keys()) {
      if (this.#size <= mostCharacters) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#readings.get(key)?.size ?? 0;
    this.#readings.delete(key);
  }
}

/** Contains everything on which a result depends beside the vocabulary. */
const keyOf = ({ text, ...options }: ReadTask, owner: string): string =>
  `${JSON.stringify([owner, ...Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))])}\n${text}`;
