import { parentPort } from 'node:worker_threads';

/** Message of a thread to its pool: it is ready, the result of a task, or a fault of the thread, which is ended then. */
export type ThreadReply<Result> =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'failed'; readonly message: string };

/** Executes the tasks that this thread receives, one after the other. */
export function serveThread<Task, Result>(execute: (task: Task) => Result): void {
  const reply = (message: ThreadReply<Result>) => parentPort?.postMessage(message);
  parentPort?.on('message', (task: Task) => {
    try {
      reply({ type: 'done', result: execute(task) });
    } catch (error) {
      reply({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  reply({ type: 'ready' });
}
