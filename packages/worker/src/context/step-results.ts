import type { CompleteStepCommand } from '@millrace/core';
import type { Verdict } from '@millrace/runtime';
import { AttemptInterrupted } from './interrupted.ts';

/** Longest time that a result waits for a request, in milliseconds: a round trip to Redis takes less. */
const requestMs = 20;

const never = (): boolean => false;

/**
 * Results of steps on their way to the journal. A result travels with the next command of its attempt, which saves a commit;
 * when the turn of the event loop ends without one, it is sent alone, or after one request to Redis that precedes the command.
 * Nothing outside may be changed before it is stored, and an attempt whose result is refused is interrupted: another attempt
 * has stored a result first, and that one counts.
 */
export class StepResults {
  readonly #submit: (result: CompleteStepCommand) => Promise<Verdict>;
  readonly #mostWaitMs: number;
  #waiting: CompleteStepCommand | undefined;
  /** Fulfilled when those that were sent are stored; undefined when all of them are. */
  #sent: Promise<void> | undefined;
  #unstorable: number | undefined;
  /** Number of requests for which the result waits. */
  #requests = 0;

  /** Creates the results of an attempt, which wait for a request for at most so many milliseconds. */
  constructor(submit: (result: CompleteStepCommand) => Promise<Verdict>, mostWaitMs = requestMs) {
    this.#submit = submit;
    this.#mostWaitMs = mostWaitMs;
  }

  /** The first step whose result can never be stored, as it exceeds a limit of the store. */
  get unstorable(): number | undefined {
    return this.#unstorable;
  }

  /** Keeps a result for the next command. */
  defer(result: CompleteStepCommand): void {
    this.#send();
    this.#waiting = result;
    this.#sendAfterTurn();
  }

  /** Waits for a request that precedes the next command. The result waits with it for a round trip to Redis, not longer. */
  async during(request: () => Promise<void>): Promise<void> {
    if (this.#waiting === undefined) return request();
    this.#requests += 1;
    const timer = setTimeout(() => this.#send(), this.#mostWaitMs);
    try {
      await request();
    } finally {
      clearTimeout(timer);
      this.#requests -= 1;
      this.#sendAfterTurn();
    }
  }

  /** Waits for the results that are on their way; undefined when there are none. */
  arrived(): Promise<void> | undefined {
    return this.#sent === undefined ? undefined : this.#allArrived();
  }

  /**
   * Sends a command, which takes along the result that waits. Later commands wait for it: they follow from the result, too.
   * `stands` tells if a refusal is one of the command alone.
   */
  carry(
    send: (result: CompleteStepCommand | undefined) => Promise<Verdict>,
    stands: (code: string) => boolean,
  ): Promise<Verdict> {
    const result = this.#takeNow();
    const verdict = send(result);
    if (result !== undefined) this.#follow(result, verdict, stands);
    return verdict;
  }

  /** Waits for the results that are on their way, and returns the one that the settlement has to take along. */
  take(): CompleteStepCommand | undefined | Promise<CompleteStepCommand | undefined> {
    const arriving = this.arrived();
    return arriving === undefined ? this.#takeNow() : arriving.then(() => this.#takeNow());
  }

  /** Sends the result that waits, and resolves when all of them are stored. */
  async stored(): Promise<void> {
    this.#send();
    await this.#delivered(this.#sent);
  }

  #takeNow(): CompleteStepCommand | undefined {
    const result = this.#waiting;
    this.#waiting = undefined;
    return result;
  }

  #send(): void {
    const result = this.#takeNow();
    if (result !== undefined) this.#follow(result, this.#submit(result), never);
  }

  #sendAfterTurn(): void {
    setImmediate(() => {
      if (this.#requests === 0) this.#send();
    });
  }

  /** Notes that a result was sent, whose verdict this is. */
  #follow({ step }: CompleteStepCommand, verdict: Promise<Verdict>, stands: (code: string) => boolean): void {
    const noted = verdict.then(
      (told) => {
        if (told.type === 'refused' && !stands(told.code)) throw new AttemptInterrupted(told.message);
      },
      (error: unknown) => {
        if (!(error instanceof AttemptInterrupted)) this.#unstorable = Math.min(this.#unstorable ?? step, step);
        throw error;
      },
    );
    const all = this.#sent === undefined ? noted : Promise.all([this.#sent, noted]).then(() => undefined);
    this.#sent = all;
    all.then(
      () => {
        if (this.#sent === all) this.#sent = undefined;
      },
      // Whoever continues on the result is told.
      () => undefined,
    );
  }

  /** Waits for results that were sent. That one can never be stored is told once: the node fails with it, and goes on as its failure says. */
  async #delivered(results: Promise<void> | undefined): Promise<void> {
    try {
      await results;
    } catch (error) {
      if (this.#sent === results && !(error instanceof AttemptInterrupted)) this.#sent = undefined;
      throw error;
    }
  }

  async #allArrived(): Promise<void> {
    // While the earlier ones are awaited, the turn ends and the last one is sent, too.
    while (this.#sent !== undefined) await this.#delivered(this.#sent);
  }
}
