/** Something that is read again when events say that it has changed. */
export interface Refresh {
  /** Reads it at once, or as soon as the last reading was long enough ago. */
  due(): void;
  end(): void;
}

/** Creates a refresh that reads once in so many milliseconds at most, and not before the reading before it has come. */
export function createRefresh(read: () => Promise<unknown>, everyMs: number): Refresh {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let isDue = false;
  let isOver = false;
  async function act(): Promise<void> {
    isDue = false;
    isReading = true;
    const wait = new Promise((resolve) => {
      timer = setTimeout(resolve, everyMs);
    });
    await Promise.all([read(), wait]);
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
