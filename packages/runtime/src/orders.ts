import type { Command, MessageBody, RunId } from '@millrace/core';
import { bodyOf, RequestError, tooLarge } from '@millrace/core';
import type { Runs } from './api.ts';
import { brought } from './brought.ts';

type Orders = Pick<Runs, 'cancel' | 'stop' | 'pause' | 'resume' | 'retry'>;

/** What can be asked of a run as a whole; `order` throws RequestError when the run refuses. */
export function ordersOver(order: (run: RunId, command: Command) => Promise<void>): Orders {
  return {
    cancel: (run, reason) => order(run, { type: 'cancel', reason }),
    stop: (run, { note, inFlight }) => order(run, { type: 'stop', stop: { code: 'external', text: note }, inFlight }),
    pause: (run) => order(run, { type: 'pause' }),
    async resume(run, task = [], budget) {
      const bodies = task.map(bodyOf);
      assertFits(bodies, 'The input');
      await order(run, {
        type: 'resume',
        task: task.map(brought),
        ...(budget === undefined ? {} : { budget }),
        bodies,
      });
    },
    retry: (run) => order(run, { type: 'retry' }),
  };
}

/** Throws RequestError when a message is longer than runs keep. */
export function assertFits(bodies: readonly MessageBody[], what: string): void {
  const reason = tooLarge(bodies, what);
  if (reason !== undefined) throw new RequestError('MESSAGE_TOO_LARGE', reason);
}
