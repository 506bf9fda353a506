import { setTimeout as sleep } from 'node:timers/promises';

/** Shutdown of a server, announced to load balancers. */
export interface Draining {
  /** True after the begin of the shutdown. */
  readonly isDraining: boolean;
  /** Records a readiness check. */
  asked(): void;
  /** Begins the shutdown, and waits until load balancers have noticed. */
  drain(): Promise<void>;
}

/** Default time for load balancers to notice the shutdown, in milliseconds. */
const defaultDrainMs = 5000;
/** Time within which a load balancer checks readiness at least twice, in milliseconds. */
const pollingMs = 60_000;

/** Prepares the shutdown of a server. Without a time, it waits only if readiness is checked regularly. */
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
      await sleep(drainMs ?? (performance.now() - askedBefore < pollingMs ? defaultDrainMs : 0));
    },
  };
}
