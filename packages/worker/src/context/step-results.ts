import type { CompleteStepCommand } from '@millrace/core';
import type { Verdict } from '@millrace/runtime';
import { AttemptInterrupted } from './interrupted.ts';

/**
 * Results of steps on their way to the journal. A result travels with the next command of its attempt, which saves a commit;
 * when the turn of the event loop ends without one, it is sent alone, or after one request to Redis that precedes the command.
 * Nothing outside may be changed before it is stored, and an attempt whose result is refused is interrupted: another attempt
 * has stored a result first, and that one counts.
 */
export interface StepResults {
  /** The first step whose result can never be stored, as it exceeds a limit of the store. */
  readonly unstorable: number | undefined;
  /** Keeps a result for the next command. */
  defer(result: CompleteStepCommand): void;
  /** Waits for a request that precedes the next command. The result waits with it for a round trip to Redis, not longer. */
  during(request: () => Promise<void>): Promise<void>;
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

/** Longest time that a result waits for a request, in milliseconds: a round trip to Redis takes less. */
const requestMs = 20;

/** Creates the results of an attempt, which wait for a request for at most so many milliseconds. */
export function createStepResults(
  submit: (result: CompleteStepCommand) => Promise<Verdict>,
  mostWaitMs = requestMs,
): StepResults {
  let waiting: CompleteStepCommand | undefined;
  let sent: Promise<void> | undefined;
  let unstorable: number | undefined;
  /** Number of requests for which the result waits. */
  let requests = 0;
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
  const sendAfterTurn = (): void => {
    setImmediate(() => {
      if (requests === 0) send();
    });
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
      sendAfterTurn();
    },
    async during(request) {
      if (waiting === undefined) return request();
      requests += 1;
      const timer = setTimeout(send, mostWaitMs);
      try {
        await request();
      } finally {
        clearTimeout(timer);
        requests -= 1;
        sendAfterTurn();
      }
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
