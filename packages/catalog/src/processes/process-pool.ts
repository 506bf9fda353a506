import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { processorTimeOf } from './processor-time.ts';
import type { TaskMessage, TaskReply } from './serve-tasks.ts';

/** Options of a process pool. */
export interface ProcessPoolOptions {
  /** The program of a process, which calls `serveTasks`. */
  readonly module: URL;
  /** Arguments of the program. */
  readonly args?: readonly string[];
  /** Maximum number of processes; they start when they are needed, and do not keep this process alive. */
  readonly size: number;
  /**
   * Limit of the processor time of a task, in milliseconds, so that the same task succeeds on a busy machine, too; waiting for a
   * process and its start do not count. It is also ended after ten times that time, and where only Linux tells processor
   * time, after that time.
   */
  readonly processorMs: number;
  /** Memory limit of the values of a process, in MiB. */
  readonly heapMb: number;
  /** `json`: tasks and results are JSON, and are sent in less time if they are small; default: all that can be cloned. */
  readonly messages?: 'json';
  /** Time for which a process without tasks is kept, in milliseconds; default: one minute. */
  readonly keptMs?: number;
}

/** Thrown for a task that exceeded its time or memory; its process was ended. */
export class TaskOverrun extends Error {}

/** Thrown for a task whose owner has the maximum number of waiting tasks. */
export class PoolBusy extends Error {}

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

interface Member<Task, Result> {
  readonly process: ChildProcess;
  isReady: boolean;
  job?: Job<Task, Result>;
  /** Looks at the time of its task, or ends the process when it has had none for long. */
  timer?: NodeJS.Timeout;
}

const defaultKeptMs = 60_000;
/** Time after which the processor time of a task is looked at, in milliseconds; nearly all tasks have ended by then. */
const lookMs = 50;
/** Time that a task may take, as a multiple of its processor time. */
const slowest = 10;
/** Time that a process waits to be ended after the limit of its task before it ends by itself, in milliseconds. */
const orphanMs = 1000;

/**
 * Executes tasks that may take long without blocking the event loop, in processes of its own: a task that takes too much time or
 * memory ends only its own one, while V8 ends the whole process of a thread whose tables outgrow its memory. Processes have no
 * variables of this one. Owners take turns: the next process serves the owner with the fewest executing tasks.
 */
export class ProcessPool<Task, Result> {
  readonly #options: ProcessPoolOptions;
  readonly #members = new Set<Member<Task, Result>>();
  /** Waiting tasks by their owners, in the order of their first one. */
  readonly #waiting = new Map<string, Job<Task, Result>[]>();

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the result of a task. Throws {@link TaskOverrun}, or {@link PoolBusy} if `maxQueued` tasks of
   * its owner wait already.
   */
  run(task: Task, { owner = '', maxQueued = Number.POSITIVE_INFINITY }: TaskOptions = {}): Promise<Result> {
    const queue = this.#waiting.get(owner) ?? [];
    if (queue.length >= maxQueued) return Promise.reject(new PoolBusy());
    return new Promise((resolve, reject) => {
      queue.push({ task, owner, resolve, reject });
      this.#waiting.set(owner, queue);
      this.#dispatch();
    });
  }

  /** Ends all processes; their tasks fail. */
  async close(): Promise<void> {
    for (const queue of this.#waiting.values()) for (const job of queue) job.reject(new Error('The pool was closed.'));
    this.#waiting.clear();
    await Promise.all([...this.#members].map((member) => this.#end(member, new Error('The pool was closed.'))));
  }

  #dispatch(): void {
    while (this.#waiting.size > 0) {
      const member = this.#idle();
      if (member === undefined) return;
      const job = this.#next();
      if (member instanceof Error) {
        job.reject(member);
        continue;
      }
      member.job = job;
      member.process.ref();
      member.process.channel?.ref();
      if (member.isReady) this.#begin(member);
    }
  }

  /** Returns a process without a task, or the error of starting one; undefined if there are as many as may be. */
  #idle(): Member<Task, Result> | Error | undefined {
    for (const member of this.#members) if (member.job === undefined) return member;
    if (this.#members.size >= this.#options.size) return undefined;
    try {
      return this.#start();
    } catch (error) {
      // The system has no memory for one.
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #next(): Job<Task, Result> {
    const active = (owner: string) => [...this.#members].filter(({ job }) => job?.owner === owner).length;
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

  #start(): Member<Task, Result> {
    const { module, args = [], heapMb, messages = 'advanced' } = this.#options;
    const process = fork(module, args, {
      // Without the flags of this process, which in a test may load TypeScript sources, and without its variables.
      execArgv: [`--max-old-space-size=${heapMb}`],
      env: {},
      // What V8 prints before it ends a process is for nobody.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: messages,
      // A separate group: Ctrl-C at a terminal lets this process finish its work.
      detached: true,
    });
    const member: Member<Task, Result> = { process, isReady: false };
    this.#members.add(member);
    process.on('message', (reply) => this.#onReply(member, reply as TaskReply<Result>)); // by `serveTasks`
    process.on('error', (error) => this.#drop(member, error));
    // Nobody else ends it by a signal, and V8 does it when the memory is not enough.
    process.on('exit', (code, signal) =>
      this.#drop(
        member,
        signal === null ? new Error(`The process has ended with code ${code}.`) : new TaskOverrun('memory'),
      ),
    );
    return member;
  }

  #begin(member: Member<Task, Result>): void {
    const { job } = member;
    if (job === undefined) return;
    this.#limit(member);
    try {
      // An error of sending is one of the process, whose end fails the task.
      const timeoutMs = slowest * this.#options.processorMs + orphanMs;
      const message: TaskMessage<Task> = { task: job.task, timeoutMs };
      member.process.send(message, () => undefined);
    } catch (error) {
      // The task cannot be copied; the process has not seen it.
      this.#free(member);
      job.reject(error instanceof Error ? error : new Error(String(error)));
      this.#dispatch();
    }
  }

  #onReply(member: Member<Task, Result>, reply: TaskReply<Result>): void {
    if (reply.type === 'ready') {
      member.isReady = true;
      this.#begin(member);
      return;
    }
    if (reply.type === 'failed') {
      // What it keeps may be in any state.
      void this.#end(member, new Error(reply.message));
      return;
    }
    const { job } = member;
    this.#free(member);
    job?.resolve(reply.result);
    if (reply.isSpent) void this.#end(member, new Error('The process is spent.'));
    else this.#dispatch();
  }

  #free(member: Member<Task, Result>): void {
    delete member.job;
    const unused = new Error('The process was not needed.');
    this.#after(member, this.#options.keptMs ?? defaultKeptMs, () => void this.#end(member, unused));
    member.timer?.unref();
    member.process.unref();
    member.process.channel?.unref();
  }

  /** Ends a process whose task takes too long. */
  #limit(member: Member<Task, Result>): void {
    const { processorMs } = this.#options;
    const latest = performance.now() + slowest * processorMs;
    const { pid } = member.process;
    this.#after(member, Math.min(lookMs, processorMs), () => {
      const before = processorTimeOf(pid) ?? 0;
      const look = () => {
        const used = (processorTimeOf(pid) ?? Number.POSITIVE_INFINITY) - before;
        if (used >= processorMs || performance.now() >= latest) void this.#end(member, new TaskOverrun('time'));
        else this.#after(member, Math.max(processorMs - used, lookMs), look);
      };
      this.#after(member, processorMs, look);
    });
  }

  /** Does something later, in place of what was to be done. */
  #after(member: Member<Task, Result>, ms: number, act: () => void): void {
    clearTimeout(member.timer);
    member.timer = setTimeout(act, ms);
  }

  /** Ends a process, and fails its task. */
  async #end(member: Member<Task, Result>, error: Error): Promise<void> {
    const { process } = member;
    const ended = once(process, 'exit').catch(() => undefined);
    process.kill('SIGKILL');
    this.#drop(member, error);
    await ended;
  }

  #drop(member: Member<Task, Result>, error: Error): void {
    if (!this.#members.delete(member)) return;
    const { job } = member;
    this.#free(member);
    clearTimeout(member.timer);
    job?.reject(error);
    this.#dispatch();
  }
}
