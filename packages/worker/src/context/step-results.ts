import type { CompleteStepCommand } from '@millrace/core';
import type { Verdict } from '@millrace/runtime';
import { AttemptInterrupted } from './interrupted.ts';

/**
 * Results of steps on their way to the journal. A result travels with the next command of its attempt, which saves a commit;
 * when the turn of the event loop ends without one, it is sent alone. Nothing outside may be changed before it is stored, and
 * an attempt whose result is refused is interrupted: another attempt has stored a result first, and that one counts.
 */
export interface StepResults {
  /** Keeps a result for the next command. */
  defer(result: CompleteStepCommand): void;
  /** Waits for the results that were sent alone, and returns the one that the next command has to take along. */
  take(): Promise<CompleteStepCommand | undefined>;
  /** Sends the result that waits, and resolves when all of them are stored. */
  stored(): Promise<void>;
}

/** Creates the results of an attempt. */
export function createStepResults(submit: (result: CompleteStepCommand) => Promise<Verdict>): StepResults {
  let waiting: CompleteStepCommand | undefined;
  let sent: Promise<void> | undefined;
  const takeNow = (): CompleteStepCommand | undefined => {
    const result = waiting;
    waiting = undefined;
    return result;
  };
  const send = (): void => {
    const result = takeNow();
    if (result === undefined) return;
    const storing = Promise.all([sent, assertStored(submit(result))]).then(() => undefined);
    // Whoever continues on the result is told.
    storing.catch(() => undefined);
    sent = storing;
  };
  return {
    defer(result) {
      send();
      waiting = result;
      setImmediate(send);
    },
    async take() {
      // While the earlier ones are awaited, the turn ends and the last one is sent, too.
      for (let seen: Promise<void> | undefined; seen !== sent; ) {
        seen = sent;
        await seen;
      }
      return takeNow();
    },
    async stored() {
      send();
      await sent;
    },
  };
}

async function assertStored(verdict: Promise<Verdict>): Promise<void> {
  const told = await verdict;
  if (told.type === 'refused') throw new AttemptInterrupted(told.message);
}
