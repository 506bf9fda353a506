import type { CompleteStepCommand, Wake } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import type { Attempt, AttemptEnd } from '@millrace/runtime';
import { isStorageFailure } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { ActivationClock } from './activation-clock.ts';
import type { ActivationContext } from './activation-context.ts';
import type { ActivationFiles } from './activation-files.ts';
import { noActivationFiles, openActivationFiles } from './activation-files.ts';
import type { SupervisedAttempt } from './attempt-supervisor.ts';
import { AttemptInterrupted } from './interrupted.ts';
import { RequestRecorder } from './request-recorder.ts';
import type { RecallStep } from './step.ts';
import type { Steps } from './steps.ts';
import { createSteps } from './steps.ts';
import type { WorkerContext } from './worker-context.ts';

/** Parts of an attempt. */
export interface AttemptOptions {
  readonly worker: WorkerContext;
  readonly context: ActivationContext;
  /** Aborted when the worker stops. */
  readonly stopSignal: AbortSignal;
  /** Gives steps of a replay their recorded results; undefined where all steps are made. */
  readonly recall: RecallStep | undefined;
  readonly clock: ActivationClock;
}

/**
 * One attempt at an activation. Most attempts end at once, so their abort signal, steps, files and log are created when
 * they are first used.
 */
export class ActivationAttempt implements SupervisedAttempt {
  readonly worker: WorkerContext;
  readonly context: ActivationContext;
  readonly stopSignal: AbortSignal;
  readonly startedAt = performance.now();
  readonly clock: ActivationClock;
  readonly #described: Attempt;
  readonly #recall: RecallStep | undefined;
  readonly #ended: (end: AttemptEnd) => void;
  #abortion: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;
  #loggingWorker: WorkerContext | undefined;
  #steps: Steps | undefined;
  #files: ActivationFiles | undefined;
  #opening: Promise<ActivationFiles> | undefined;

  constructor({ worker, context, stopSignal, recall, clock }: AttemptOptions) {
    const { wake, node, record, segment, trace } = context;
    this.worker = worker;
    this.context = context;
    this.stopSignal = stopSignal;
    this.clock = clock;
    this.#recall = recall;
    this.#described = {
      run: wake.run,
      activation: wake.activation,
      node: node?.id ?? '',
      type: node?.type,
      unit: record.unit,
      segment,
      trace,
    };
    this.#ended = worker.instrumentation.attempt(this.#described);
  }

  get wake(): Wake {
    return this.context.wake;
  }

  /** The worker, with a log that names this attempt. */
  get loggingWorker(): WorkerContext {
    this.#loggingWorker ??= { ...this.worker, log: this.#childLog() };
    return this.#loggingWorker;
  }

  get log(): Logger {
    return this.loggingWorker.log;
  }

  /** Aborted when the run has ended without this attempt, or when the worker stops. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortion !== undefined) this.#controller.abort(this.#abortion.reason);
    }
    return this.#controller.signal;
  }

  get steps(): Steps {
    this.#steps ??= createSteps(this.worker, {
      wake: this.wake,
      attempt: this.#described,
      clock: this.clock,
      signal: this.signal,
      changes: async () => (this.#files === undefined ? [] : await this.#files.changes()),
      recall: this.#recall,
      recorder: this.context.recordsRequests ? this.#recorder() : undefined,
    });
    return this.#steps;
  }

  /** Number of steps that the result is built on. */
  get completedSteps(): number {
    return this.#steps?.completed ?? 0;
  }

  /** One of its steps took no result of a recording. */
  get isLive(): boolean {
    return this.#steps?.isLive ?? false;
  }

  /** Waits until the results of all steps are stored; undefined when it has made none. */
  storeSteps(): Promise<void> | undefined {
    return this.#steps?.results.stored();
  }

  /** Returns the result of a step that its settlement has to take along, once all others are stored; undefined when there is none. */
  takeStepResult(): Promise<CompleteStepCommand | undefined> | CompleteStepCommand | undefined {
    return this.#steps?.results.take();
  }

  /** The files that were opened; undefined when nothing can have changed any. */
  get files(): ActivationFiles | undefined {
    return this.#files;
  }

  /** Brings the files of its workspace to this machine when they are first used. */
  async openFiles(): Promise<ActivationFiles> {
    this.#opening ??= this.#openFiles();
    return this.#opening;
  }

  async #openFiles(): Promise<ActivationFiles> {
    const { worker, context } = this;
    const { files } = context;
    this.#files = await (files === undefined
      ? noActivationFiles(worker, context)
      : openActivationFiles(worker, context, files));
    return this.#files;
  }

  abort(reason: unknown): void {
    this.#abortion ??= { reason };
    this.#controller?.abort(reason);
  }

  /** Returns whether the attempt ended for a reason outside of its node: it was aborted, or lost its run or its files. */
  isInterruptedBy(error: unknown): boolean {
    return this.#abortion !== undefined || error instanceof AttemptInterrupted || isStorageFailure(error);
  }

  /** Tells instrumentation how the attempt ended. */
  end(end: AttemptEnd): void {
    this.#ended(end);
  }

  /** Closes the files of the attempt; undefined when there are none. */
  close(): Promise<void> | undefined {
    return this.#opening?.then(
      (files) => files.dispose(),
      () => undefined,
    );
  }

  /** Ends an attempt that settles nothing. */
  async abandon(): Promise<void> {
    this.end({ outcome: 'abandoned' });
    // A result that waits is paid for. Whether it is refused does not matter any more.
    await this.storeSteps()?.catch(() => undefined);
    await this.close();
  }

  #recorder(): RequestRecorder {
    const { refs, input } = this.context;
    return new RequestRecorder(
      () => refs.flatMap((ref, at) => (input[at] === undefined ? [] : [[ref, input[at]] as const])),
      this.worker.mask.hideIn,
    );
  }

  #childLog(): Logger {
    const { run, activation, node } = this.#described;
    const marks = this.worker.instrumentation.mark(this.#described);
    return this.worker.log.child({ run, activation, node, tenant: tenantOf(run), ...marks });
  }
}
