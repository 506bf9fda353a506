import type { Clock } from './clock.ts';

/** The longest time that a timer of Node.js can wait, in milliseconds. */
const longestMs = 2 ** 31 - 1;

const release = (): void => undefined;

/** The clock of the process. */
export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      timer = setTimeout(() => (leftMs > longestMs ? wait(leftMs - longestMs) : act()), Math.min(leftMs, longestMs));
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
  hold: () => release,
  isVirtual: false,
};
