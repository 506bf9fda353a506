/** Thrown to leave work to another process. */
class Costly extends Error {}

let isCheapOnly = false;

/**
 * Does work that is synchronous, unless a part of it could take long: then it returns undefined, and another process is to do it. Checks
 * decide that by what they check and not by the text that it was written in, which may contain escapes and variables.
 */
export function doIfCheap<T>(work: () => T): T | undefined {
  isCheapOnly = true;
  try {
    return work();
  } catch (error) {
    if (error instanceof Costly) return undefined;
    throw error;
  } finally {
    isCheapOnly = false;
  }
}

/** Ends {@link doIfCheap} for a part that could take long; does nothing elsewhere. */
export function leaveToChildIf(isCostly: boolean): void {
  if (isCheapOnly && isCostly) throw new Costly();
}
