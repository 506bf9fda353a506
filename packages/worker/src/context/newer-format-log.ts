import type { NewerFormat } from '@millrace/runtime';
import { LruMap } from '@millrace/runtime';
import type { Logger } from 'pino';

/** Number of runs whose log line is remembered. */
const limit = 500;

/** Logs each run that a newer version of Millrace stores once, however often a wake of it comes. */
export class NewerFormatLog {
  readonly #log: Logger;
  readonly #said = new LruMap<void>({ limit });

  constructor(log: Logger) {
    this.#log = log;
  }

  note({ run, format }: NewerFormat): void {
    void this.#said.of(`${run} ${format}`, async () => {
      this.#log.warn({ run, format }, 'skipped a run that a newer version of Millrace stores');
    });
  }
}
