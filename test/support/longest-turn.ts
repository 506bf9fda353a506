import { watchTurns } from '../bench/turns.ts';

/** Returns the longest turn of the event loop, in milliseconds of processor time, until a promise is settled. */
export async function longestTurn(work: Promise<unknown>): Promise<number> {
  const longest = watchTurns();
  await work.catch(() => undefined);
  return longest();
}
