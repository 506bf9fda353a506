import { Script } from 'node:vm';

/** Message of a process to its pool: it is ready, the result of a task, or a fault of the process, which is ended then. */
export type TaskReply<Result> =
  | { readonly type: 'ready' }
  /** `isSpent`: the process is to be ended, because it keeps memory, or something that may be in any state. */
  | { readonly type: 'done'; readonly result: Result; readonly isSpent: boolean }
  | { readonly type: 'failed'; readonly message: string };

/** Message of a pool to a process: a task, and the time after which the process ends by itself if nobody is left to end it, in milliseconds. */
export interface TaskMessage<Task> {
  readonly task: Task;
  readonly timeoutMs: number;
}

/** V8 can stop code only if a script with a time limit started it. */
const script = new Script('task()');
const globals: { task?: () => void } = globalThis as object;

/** Executes the tasks that this process receives, one after the other, until it is spent or its parent has ended. */
export function serveTasks<Task, Result>(execute: (task: Task) => Result, isSpent = (): boolean => false): void {
  const reply = (message: TaskReply<Result>) => process.send?.(message, () => undefined);
  process.on('message', (message) => {
    const { task, timeoutMs } = message as TaskMessage<Task>; // by the pool
    globals.task = () => reply(replyTo(task));
    script.runInThisContext({ timeout: timeoutMs });
  });
  const replyTo = (task: Task): TaskReply<Result> => {
    try {
      const result = execute(task);
      return { type: 'done', result, isSpent: isSpent() };
    } catch (error) {
      return { type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('disconnect', () => process.exit());
  // Its parent ends it: a supervisor that sends a signal to all processes lets tasks end, as those of its parent do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  reply({ type: 'ready' });
}
