import { EventEmitter, once } from 'node:events';
import type { Wake } from '@millrace/core';
import { wakeId } from '@millrace/core';

/** A processor that keeps its job active until the test lets it finish. */
export function slowly() {
  const events = new EventEmitter();
  const started: string[] = [];
  const signals: AbortSignal[] = [];
  return {
    started,
    signals,
    async processor(wake: Wake, signal: AbortSignal): Promise<void> {
      started.push(wake.activation);
      signals.push(signal);
      events.emit('started');
      await once(events, 'finish');
    },
    async untilStarted(count: number): Promise<void> {
      while (started.length < count) await once(events, 'started');
    },
    finish: () => events.emit('finish'),
  };
}

/** A processor that finishes at once, and a way to wait for it. */
export function quickly() {
  const events = new EventEmitter();
  const done: string[] = [];
  return {
    done,
    async processor(wake: Wake): Promise<void> {
      done.push(wakeId(wake));
      events.emit('done');
    },
    async untilDone(count: number): Promise<void> {
      while (done.length < count) await once(events, 'done');
    },
  };
}
