import type { HttpStartName } from '../http-starts.ts';
import type { IdleName } from '../idle.ts';
import type { KeptName } from '../kept.ts';
import type { Peers } from '../peers/peer.ts';
import type { ScenarioName } from '../workload/scenarios.ts';
import type { Line } from './line.ts';
import type { Machine } from './machine.ts';

/** Everything that has a line of its own. `scaling` is two worker processes against one; the floor's is BullMQ's own. */
export type LineName =
  | ScenarioName
  | KeptName
  | IdleName
  | HttpStartName
  | 'scaling'
  | 'hugeMap'
  | 'workerStart'
  | 'recall'
  | 'render'
  | 'encode';

/** Lines by name; of what was not asked for there is none. */
export type Lines = Readonly<Partial<Record<LineName, Line>>>;

/** Output of `--json`: the lines of `appendfsync everysec`, those of `always`, and the machine. */
export type Result = Lines & {
  readonly always: Lines;
  readonly machine: Machine;
  /** Times of other systems, or the reason for which there are none. */
  readonly peers?: Peers;
};

/** The lines, and what two of them together say. */
export function withScaling(lines: Lines): Lines {
  const { throughput: one, throughput2: two } = lines;
  if (one?.floor === undefined || two?.floor === undefined) return lines;
  const floor = two.floor / one.floor;
  const millrace = two.millrace / one.millrace;
  return {
    ...lines,
    scaling: { floor, millrace, ratio: millrace / floor, unit: 'times one worker process, with two' },
  };
}
