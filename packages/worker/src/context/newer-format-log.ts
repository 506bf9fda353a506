import type { NewerFormat } from '@millrace/runtime';
import { LruMap } from '@millrace/runtime';
import type { Logger } from 'pino';

/** Runs that it is remembered of that the log names them. */
const limit = 10_000;

/** Says of each run once that a newer version of Millrace has it, however often a wake of it comes. */
export class LeftAlone {
  readonly #log: Logger;
  readonly #said = new LruMap<void>({ limit });

  constructor(log: Logger) {
    this.#log = log;
  }

  note({ run, format }: NewerFormat): void {
    void this.#said.of(`${run} ${format}`, async () => {
      this.#log.warn({ run, format }, 'a run is left alone, as a newer version of Millrace stores it');
    });
  }
}
