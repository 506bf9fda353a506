import { linkedController } from '@millrace/catalog';
import type { PlanNode } from '@millrace/core';
import { NodeError } from '@millrace/core';

/** A signal that is aborted with the outer one, or when the node's time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Returns the result of the work; throws NODE_TIMEOUT when that takes too long, even if the work ignores the signal. */
  race<T>(work: () => T | Promise<T>): T | Promise<T>;
}

/** The time that one attempt at a node may take. */
export function timeLimit({ id, timeoutSeconds }: PlanNode, outer: AbortSignal): TimeLimit {
  if (timeoutSeconds === undefined) return { signal: outer, race: (work) => work() };
  const limit = linkedController(outer);
  return {
    signal: limit.signal,
    async race(work) {
      const over = new NodeError('NODE_TIMEOUT', `Node "${id}" took longer than its ${timeoutSeconds} seconds.`);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(over);
          limit.abort(over);
        }, timeoutSeconds * 1000);
      });
      try {
        return await Promise.race([work(), late]);
      } finally {
        clearTimeout(timer);
        limit.unlink();
      }
    },
  };
}
