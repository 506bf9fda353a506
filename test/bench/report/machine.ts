import { availableParallelism, loadavg } from 'node:os';

/** The machine that it was measured on. */
export interface Machine {
  readonly cores: number;
  /** Processes that wanted to work in the minute before the benchmark. */
  readonly load: number;
  /** True if a second worker has a core of its own, beside the first one and Redis. */
  readonly coreFree: boolean;
}

const busyAnyway = 2;

/** Returns the cores and the load of the machine; must be called before the benchmark adds to the load. */
export function lookAtMachine(): Machine {
  const cores = availableParallelism();
  const [load = 0] = loadavg();
  return { cores, load, coreFree: cores - Math.round(load) > busyAnyway };
}
