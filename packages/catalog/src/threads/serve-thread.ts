import { parentPort } from 'node:worker_threads';

/** Message of a thread to its pool: it is ready, the result of a task, or a fault of the thread, which is ended then. */
export type ThreadReply<Result> =
  | { readonly type: 'ready' }
  /** `isSpent`: the thread is to be ended, because it keeps memory, or something that may be in any state. */
  | { readonly type: 'done'; readonly result: Result; readonly isSpent: boolean }
  | { readonly type: 'failed'; readonly message: string };

/** Executes the tasks that this thread receives, one after the other, until it is spent. */
export function serveThread<Task, Result>(execute: (task: Task) => Result, isSpent = (): boolean => false): void {
  const reply = (message: ThreadReply<Result>) => parentPort?.postMessage(message);
  parentPort?.on('message', (task: Task) => {
    try {
      const result = execute(task);
      reply({ type: 'done', result, isSpent: isSpent() });
    } catch (error) {
      reply({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  reply({ type: 'ready' });
}
