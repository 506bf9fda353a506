import { Worker } from 'node:worker_threads';
import type { ThreadReply } from './serve-thread.ts';

/** Options of a thread pool. */
export interface ThreadPoolOptions {
  /** The module of a thread, which calls `serveThread`. */
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
  /** Waiting tasks by their owners, in the order of their first one. */
  readonly #waiting = new Map<string, Job<Task, Result>[]>();

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the result of a task. Throws {@link ThreadOverrun}, or {@link ThreadsBusy} if `mostAhead` tasks of
   * its owner wait already.
   */
  run(task: Task, { owner = '', maxQueued: mostAhead = Number.POSITIVE_INFINITY }: TaskOptions = {}): Promise<Result> {
    const queue = this.#waiting.get(owner) ?? [];
    if (queue.length >= mostAhead) return Promise.reject(new ThreadsBusy());
    return new Promise((resolve, reject) => {
      queue.push({ task, owner, resolve, reject });
      this.#waiting.set(owner, queue);
      this.#dispatch();
    });
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    const threads = [...this.#threads];
    for (const queue of this.#waiting.values())
      for (const job of queue) job.reject(new Error('The threads were closed.'));
    this.#waiting.clear();
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #dispatch(): void {
    while (this.#waiting.size > 0) {
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
    const active = (owner: string) => [...this.#threads].filter(({ job }) => job?.owner === owner).length;
    const counts = [...this.#waiting.keys()].map((owner) => ({ owner, count: active(owner) }));
    const { owner } = counts.reduce((least, one) => (one.count < least.count ? one : least));
    const queue = this.#waiting.get(owner) ?? [];
    const job = queue.shift();
    if (job === undefined) throw new Error('No task waits.');
    // The owner goes last among those who wait.
    this.#waiting.delete(owner);
    if (queue.length > 0) this.#waiting.set(owner, queue);
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
    thread.timer = setTimeout(() => this.#end(thread, new ThreadOverrun('time')), this.#options.timeoutMs);
    try {
      thread.worker.postMessage(job.task);
    } catch (error) {
      // The task cannot be copied; the thread has not seen it.
      this.#free(thread);
      job.reject(error instanceof Error ? error : new Error(String(error)));
      this.#dispatch();
    }
  }

  #onReply(thread: Thread<Task, Result>, reply: ThreadReply<Result>): void {
    if (reply.type === 'ready') {
      thread.isReady = true;
      this.#begin(thread);
      return;
    }
    if (reply.type === 'failed') {
      // What it keeps may be in any state.
      this.#end(thread, new Error(reply.message));
      return;
    }
    const { job } = thread;
    this.#free(thread);
    job?.resolve(reply.result);
    if (reply.isSpent) this.#end(thread, new Error('The thread is spent.'));
    else this.#dispatch();
  }

  #free(thread: Thread<Task, Result>): void {
    clearTimeout(thread.timer);
    delete thread.job;
    thread.worker.unref();
  }

  #end(thread: Thread<Task, Result>, error: Error): void {
    this.#drop(thread, error);
    void thread.worker.terminate();
  }

  #drop(thread: Thread<Task, Result>, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    const { job } = thread;
    this.#free(thread);
    job?.reject(error);
    this.#dispatch();
  }
}
