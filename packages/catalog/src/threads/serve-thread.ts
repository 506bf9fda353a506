import { parentPort } from 'node:worker_threads';

/** What a thread tells its pool: that it takes tasks, and what became of each. */
export type ThreadReply<Result> =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'failed'; readonly message: string };

/** Carries out the tasks that this thread is given, one after the other. */
export function serveThread<Task, Result>(carryOut: (task: Task) => Result): void {
  const reply = (message: ThreadReply<Result>) => parentPort?.postMessage(message);
  parentPort?.on('message', (task: Task) => {
    try {
      reply({ type: 'done', result: carryOut(task) });
    } catch (error) {
      reply({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  reply({ type: 'ready' });
}
