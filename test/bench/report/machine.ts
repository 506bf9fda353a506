import { availableParallelism, loadavg } from 'node:os';

/** The machine that it was measured on. */
export interface Machine {
  readonly cores: number;
  /** Processes that wanted to work in the minute before the benchmark. */
  readonly load: number;
}

/** Returns the cores and the load of the machine; must be called before the benchmark adds to the load. */
export function lookAtMachine(): Machine {
  const [load = 0] = loadavg();
  return { cores: availableParallelism(), load };
}
