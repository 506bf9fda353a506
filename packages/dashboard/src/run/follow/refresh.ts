import type { Query } from '@tanstack/react-query';

/** Something that is read again when events have changed it. */
export interface Refresh {
  /** Reads it at once, or as soon as the last reading was long enough ago. */
  due(): void;
  end(): void;
}

/** Pause after a reading, as a multiple of its duration, so that a slow server is not read from all the time. */
const restFactor = 4;
/** Maximum pause after a slow reading, in milliseconds. */
const longestRestMs = 10_000;

/** Creates a refresh: readings do not overlap, and begin at least so many milliseconds after each other. */
export function createRefresh(read: () => Promise<unknown>, everyMs: number): Refresh {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let isDue = false;
  let isOver = false;
  async function act(): Promise<void> {
    isDue = false;
    isReading = true;
    const began = performance.now();
    await read();
    const took = performance.now() - began;
    await new Promise((resolve) => {
      timer = setTimeout(resolve, Math.max(everyMs - took, Math.min(restFactor * took, longestRestMs)));
    });
    isReading = false;
    if (isDue && !isOver) await act();
  }
  return {
    due() {
      isDue = true;
      if (!isReading) void act();
    },
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Tests if a query shows a part of a run that its events may change: any that does not say otherwise. */
export const isViewOf = (run: string, { queryKey, meta }: Pick<Query, 'queryKey' | 'meta'>): boolean => {
  const [kind, id, view] = queryKey;
  return kind === 'run' && id === run && view !== undefined && meta?.followsRun !== false;
};
