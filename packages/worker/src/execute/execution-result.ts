import type {
  AskedCall,
  ConditionObservations,
  Failure,
  GraphPlan,
  MemoryWrite,
  Message,
  StateWrite,
  StoredUnits,
  Wait,
} from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import { withUnitItems } from '../context/items.ts';
import type { NodeActivity } from '../host/node-host.ts';
import { noActivity } from '../host/node-host.ts';

/** Result of executing an activation, before its outputs are routed. */
export type ExecutionResult =
  | Completion
  /** A graph is entered with this task. */
  | {
      readonly type: 'called';
      readonly graph: GraphPlan;
      readonly task: readonly Message[];
      /** Observations of the graph's termination in the task. */
      readonly observed: ConditionObservations | undefined;
    }
  /** The units of a fan-out, without those that are stored before, and the inputs that every unit gets. */
  | {
      readonly type: 'split';
      readonly statics: readonly Message[];
      readonly before?: StoredUnits;
      readonly units: readonly Message[];
    }
  /** The units of a large fan-out are joined but for the last part. */
  | { readonly type: 'joined' }
  /** It waits, or continues at once with an answer that is known already. */
  | {
      readonly type: 'suspended';
      readonly wait: Wait;
      readonly answer?: Message;
      /** The calls of tools that people are asked to approve. */
      readonly calls?: readonly AskedCall[];
    }
  /** It is executed again at this time, in milliseconds since 1970. */
  | { readonly type: 'postponed'; readonly until: number }
  | { readonly type: 'failed'; readonly error: Failure };

/** Outputs of an activation, and what is stored with them. */
export interface Completion {
  readonly type: 'completed';
  readonly outputs: readonly Message[];
  /** Messages that the context window of the node keeps instead of the outputs. */
  readonly context: readonly Message[] | undefined;
  /** The outputs take no edges: the scope around collects them, or they are the last of a graph that is being stopped. */
  readonly silent: boolean;
  /** The outputs describe a failure: they take the edges for failures, and no others. */
  readonly failed: boolean;
  /** The failure from which its error policy or an edge continues. */
  readonly failure: Failure | undefined;
  readonly state: StateWrite | undefined;
  readonly memory: readonly MemoryWrite[];
  readonly activity: NodeActivity;
  /** The output of a fork that the run repeats takes the place of its execution. */
  readonly given?: true;
  /** It passes on the result of a graph, or joins the outputs of units. */
  readonly closes: 'graph' | 'units' | undefined;
}

const noMemory: readonly MemoryWrite[] = [];

/** Completes an activation with outputs that no node has made in this attempt. */
export const completedWith = (
  context: ActivationContext,
  outputs: readonly Message[],
  { silent, closes }: Pick<Completion, 'silent' | 'closes'>,
): Completion => ({
  type: 'completed',
  outputs: context.node === undefined ? outputs : withUnitItems(outputs, context),
  context: undefined,
  silent,
  failed: false,
  failure: undefined,
  state: undefined,
  memory: noMemory,
  activity: noActivity,
  closes,
});
