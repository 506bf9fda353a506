import { Worker } from 'node:worker_threads';
import type { ThreadReply } from './serve-thread.ts';

/** Options of a thread pool. */
export interface ThreadPoolOptions {
  /** The built module of a thread, which calls `serveThread`. */
  readonly module: URL;
  /** `workerData` of each thread. */
  readonly data?: unknown;
  /** Maximum number of threads; they start when they are needed, and do not keep the process alive. */
  readonly size: number;
  /** Time limit of a task, in milliseconds; waiting for a thread and its start do not count. */
  readonly timeoutMs: number;
  /** Memory limit of a thread, in MiB. */
  readonly heapMb: number;
}

/** Thrown for a task that exceeded its time or memory; its thread was ended. */
export class ThreadOverrun extends Error {}

/** Thrown for a task whose owner has the maximum number of waiting tasks. */
export class ThreadsBusy extends Error {}

/** The owner of a task, and the number of the owner's tasks that may wait before it. */
export interface TaskOptions {
  readonly owner?: string;
  readonly maxQueued?: number;
}

interface Job<Task, Result> {
  readonly task: Task;
  readonly owner: string;
  resolve(result: Result): void;
  reject(error: Error): void;
}

interface Thread<Task, Result> {
  readonly worker: Worker;
  isReady: boolean;
  job?: Job<Task, Result>;
  timer?: NodeJS.Timeout;
}

/**
 * Executes tasks that may take long without blocking the event loop. A task that takes too much time or memory ends
 * only its own thread. Owners take turns: the next thread serves the owner with the fewest executing tasks.
 */
export class ThreadPool<Task, Result> {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread<Task, Result>>();
  readonly #waiting: Job<Task, Result>[] = [];

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the result of a task. Throws {@link ThreadOverrun}, or {@link ThreadsBusy} if `mostAhead` tasks of
   * its owner wait already.
   */
  run(task: Task, { owner = '', maxQueued: mostAhead = Number.POSITIVE_INFINITY }: TaskOptions = {}): Promise<Result> {
    const ahead = this.#waiting.filter((job) => job.owner === owner).length;
    if (ahead >= mostAhead) return Promise.reject(new ThreadsBusy());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, owner, resolve, reject });
      this.#dispatch();
    });
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    const threads = [...this.#threads];
    for (const job of this.#waiting.splice(0)) job.reject(new Error('The threads were closed.'));
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle();
      if (thread === undefined) return;
      thread.job = this.#next();
      thread.worker.ref();
      if (thread.isReady) this.#begin(thread);
    }
  }

  #idle(): Thread<Task, Result> | undefined {
    for (const thread of this.#threads) if (thread.job === undefined) return thread;
    return this.#threads.size < this.#options.size ? this.#start() : undefined;
  }

  #next(): Job<Task, Result> {
    const activeOf = ({ owner }: Job<Task, Result>) =>
      [...this.#threads].filter(({ job }) => job?.owner === owner).length;
    const counts = this.#waiting.map(activeOf);
    const at = counts.indexOf(Math.min(...counts));
    const [job] = this.#waiting.splice(at, 1);
    if (job === undefined) throw new Error('No task waits.');
    return job;
  }

  #start(): Thread<Task, Result> {
    const { module, data, heapMb } = this.#options;
    // Without the flags of this process, which in a test may load TypeScript sources.
    const worker = new Worker(module, {
      execArgv: [],
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const thread: Thread<Task, Result> = { worker, isReady: false };
    this.#threads.add(thread);
    worker.on('message', (reply: ThreadReply<Result>) => this.#onReply(thread, reply));
    worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#drop(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadOverrun('memory') : error),
    );
    worker.on('exit', () => this.#drop(thread, new Error('The thread has ended.')));
    return thread;
  }

  #begin(thread: Thread<Task, Result>): void {
    const { job } = thread;
    if (job === undefined) return;
    thread.timer = setTimeout(() => {
      this.#drop(thread, new ThreadOverrun('time'));
      void thread.worker.terminate();
    }, this.#options.timeoutMs);
    thread.worker.postMessage(job.task);
  }

  #onReply(thread: Thread<Task, Result>, reply: ThreadReply<Result>): void {
    if (reply.type === 'ready') {
      thread.isReady = true;
      this.#begin(thread);
      return;
    }
    if (reply.type === 'failed') {
      // What it keeps may be in any state.
      this.#drop(thread, new Error(reply.message));
      void thread.worker.terminate();
      return;
    }
    const { job } = thread;
    this.#free(thread);
    job?.resolve(reply.result);
    this.#dispatch();
  }

  #free(thread: Thread<Task, Result>): void {
    clearTimeout(thread.timer);
    delete thread.job;
    thread.worker.unref();
  }

  #drop(thread: Thread<Task, Result>, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    const { job } = thread;
    this.#free(thread);
    job?.reject(error);
    this.#dispatch();
  }
}
