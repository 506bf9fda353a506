import type { ForeignFormat } from '@millrace/runtime';
import { LruMap } from '@millrace/runtime';
import type { Logger } from 'pino';

/** Number of runs whose log line is remembered. */
const limit = 500;

/** Logs each run that another version of Millrace stores once, however often a wake of it comes. */
export class ForeignFormatLog {
  readonly #log: Logger;
  readonly #said = new LruMap<void>({ limit });

  constructor(log: Logger) {
    this.#log = log;
  }

  note({ run, format }: ForeignFormat): void {
    void this.#said.of(`${run} ${format}`, async () => {
      this.#log.warn({ run, format }, 'skipped a run that another version of Millrace stores');
    });
  }
}
