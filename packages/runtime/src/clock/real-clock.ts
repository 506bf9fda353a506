import type { Clock } from './clock.ts';
import { onward } from './onward.ts';

/** The longest time that a timer of Node.js can wait, in milliseconds. */
const longestMs = 2 ** 31 - 1;

const release = (): void => undefined;

/** The clock of the process, which runs on where that of the computer is set back. */
export const realClock: Clock = {
  now: onward(() => Date.now()),
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
