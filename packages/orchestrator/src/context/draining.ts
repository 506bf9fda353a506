import { setTimeout as pause } from 'node:timers/promises';

/** End of a server that load balancers may know of. */
export interface Draining {
  /** True from the beginning of the end. */
  readonly isDraining: boolean;
  /** Records that somebody has asked whether the server is ready. */
  asked(): void;
  /** Begins the end, and waits until load balancers have noticed. */
  drain(): Promise<void>;
}

/** Time for which a load balancer is given to notice, in milliseconds. */
const defaultDrainMs = 5000;
/** Time within which a load balancer asks at least twice, in milliseconds. */
const pollingMs = 60_000;

/** Prepares the end of a server. Without a time, it waits only if somebody asks regularly whether the server is ready. */
export function createDraining(drainMs: number | undefined): Draining {
  let isDraining = false;
  let [askedAt, askedBefore] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    get isDraining() {
      return isDraining;
    },
    asked() {
      [askedAt, askedBefore] = [performance.now(), askedAt];
    },
    async drain() {
      isDraining = true;
      await pause(drainMs ?? (performance.now() - askedBefore < pollingMs ? defaultDrainMs : 0));
    },
  };
}
