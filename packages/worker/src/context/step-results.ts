import type { CompleteStepCommand } from '@millrace/core';
import type { Verdict } from '@millrace/runtime';
import { AttemptInterrupted } from './interrupted.ts';

/**
 * Results of steps on their way to the journal. A result travels with the next command of its attempt, which saves a commit;
 * when the turn of the event loop ends without one, it is sent alone. Nothing outside may be changed before it is stored, and
 * an attempt whose result is refused is interrupted: another attempt has stored a result first, and that one counts.
 */
export interface StepResults {
  /** The first step whose result can never be stored, as it exceeds a limit of the store. */
  readonly unstorable: number | undefined;
  /** Keeps a result for the next command. */
  defer(result: CompleteStepCommand): void;
  /** Waits for the results that are on their way. */
  arrived(): Promise<void>;
  /**
   * Sends a command, which takes along the result that waits. Later commands wait for it: they follow from the result, too.
   * `stands` tells if a refusal is one of the command alone.
   */
  carry(
    send: (result: CompleteStepCommand | undefined) => Promise<Verdict>,
    stands: (code: string) => boolean,
  ): Promise<Verdict>;
  /** Waits for the results that are on their way, and returns the one that the settlement has to take along. */
  take(): Promise<CompleteStepCommand | undefined>;
  /** Sends the result that waits, and resolves when all of them are stored. */
  stored(): Promise<void>;
}

/** Creates the results of an attempt. */
export function createStepResults(submit: (result: CompleteStepCommand) => Promise<Verdict>): StepResults {
  let waiting: CompleteStepCommand | undefined;
  let sent: Promise<void> | undefined;
  let unstorable: number | undefined;
  const takeNow = (): CompleteStepCommand | undefined => {
    const result = waiting;
    waiting = undefined;
    return result;
  };
  const follow = ({ step }: CompleteStepCommand, storing: Promise<void>): void => {
    const noted = storing.catch((error: unknown) => {
      if (!(error instanceof AttemptInterrupted)) unstorable = Math.min(unstorable ?? step, step);
      throw error;
    });
    const all = Promise.all([sent, noted]).then(() => undefined);
    // Whoever continues on the result is told.
    all.catch(() => undefined);
    sent = all;
  };
  const send = (): void => {
    const result = takeNow();
    if (result !== undefined) follow(result, assertStored(submit(result)));
  };
  /** Waits for results that were sent. That one can never be stored is told once: the node fails with it, and goes on as its failure says. */
  const delivered = async (results: Promise<void> | undefined): Promise<void> => {
    try {
      await results;
    } catch (error) {
      if (sent === results && !(error instanceof AttemptInterrupted)) sent = undefined;
      throw error;
    }
  };
  const arrived = async (): Promise<void> => {
    // While the earlier ones are awaited, the turn ends and the last one is sent, too.
    for (let seen: Promise<void> | undefined; seen !== sent; ) {
      seen = sent;
      await delivered(seen);
    }
  };
  return {
    get unstorable() {
      return unstorable;
    },
    defer(result) {
      send();
      waiting = result;
      setImmediate(send);
    },
    arrived,
    carry(sendWith, stands) {
      const result = takeNow();
      const verdict = sendWith(result);
      if (result !== undefined) follow(result, assertStored(verdict, stands));
      return verdict;
    },
    async take() {
      await arrived();
      return takeNow();
    },
    async stored() {
      send();
      await delivered(sent);
    },
  };
}

async function assertStored(verdict: Promise<Verdict>, stands = (_code: string) => false): Promise<void> {
  const told = await verdict;
  if (told.type === 'refused' && !stands(told.code)) throw new AttemptInterrupted(told.message);
}
