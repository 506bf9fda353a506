/** Something to wait for that takes so many steps. */
export interface Countdown {
  readonly all: Promise<void>;
  one(): void;
  /** Gives up: `all` fails with this. */
  fail(error: Error): void;
}

/** Counts down from `count`, which is at least 1. */
export function countdown(count: number): Countdown {
  let left = count;
  let resolve = () => {};
  let reject: (error: Error) => void = () => {};
  const all = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return {
    all,
    one() {
      left--;
      if (left === 0) resolve();
    },
    fail: (error) => reject(error),
  };
}
