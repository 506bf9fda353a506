import type { ActivationId } from '../../model/ids.ts';
import { factsOf, signalBody } from '../../model/messages/signal.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { acceptedSignalsKey, keptSignalsKey } from '../evolve/evolve-signal.ts';
import type { KeptSignal } from '../records/event.ts';
import { advanceAll } from '../scopes/advance.ts';
import { filteredPaths, takerOf } from '../state/awaited-signals.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { activeTerminations, terminationOf } from '../state/enclosing-terminations.ts';
import { canBeAwaited } from '../state/future-waits.ts';
import { hasEnded } from '../state/live.ts';
import { runOf } from '../state/lookup.ts';
import { stepTermination } from '../termination/step-terminations.ts';
import { giveSignal } from '../termination/wait-alarms.ts';

/*
 * A signal is an event from outside. It goes to the nodes that wait for it: of those whose filter it passes, to the one
 * that became ready first. If there is none, but a node can still begin to wait for it, the run keeps it, in the order of
 * arrival. Terminations observe a signal at once or not at all; it is never kept for them.
 */

/** Delivers a signal to the nodes and terminations that wait for one of this name. */
interface SignalCommand {
  readonly type: 'signal';
  readonly name: string;
  readonly note?: string;
  /** Its sender's id of the event; the run accepts each id once. */
  readonly id?: string;
  /** Data of the event, as JSON has it. */
  readonly data?: unknown;
}

/** Number of events that a run keeps for nodes that do not wait for them yet. */
const maxKeptSignals = 100;

/** Delivers a signal to the nodes and terminations that wait for it. Refused if there are none and never will be. */
export function signal(context: DecisionContext, command: SignalCommand): Refusal | undefined {
  const { draft, plan } = context;
  const { name, id, data } = command;
  // A sender that received no response sends the event again.
  if (id !== undefined && isAccepted(context, name, id)) return undefined;
  const { status } = runOf(draft);
  if (hasEnded({ status })) return refuse('RUN_ENDED', `The run has ended: ${status}.`);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}. Only a running or paused run accepts signals.`);
  const paths = filteredPaths(plan, name);
  const arrival = paths === undefined ? unknown(name) : arrivalOf(context, { name, facts: factsOf(data, paths) });
  if (!('code' in arrival)) receive(context, command, arrival);
  const isObserved = stepObservingTerminations(context, command);
  if (isObserved) advanceAll(context);
  return isObserved || !('code' in arrival) ? undefined : arrival;
}

const isAccepted = ({ draft }: DecisionContext, name: string, id: string): boolean =>
  draft.list(acceptedSignalsKey).some((accepted) => accepted.name === name && accepted.id === id);

const unknown = (name: string): Refusal =>
  refuse('SIGNAL_UNKNOWN', `No node or termination of the run waits for the signal "${name}".`);

type ReceivedSignal = Pick<KeptSignal, 'name' | 'facts'>;

/** An event that the run receives, and the activation that takes it; absent: it is kept. */
interface SignalArrival extends ReceivedSignal {
  readonly taker: ActivationId | undefined;
}

function arrivalOf({ draft, plan, at }: DecisionContext, received: ReceivedSignal): SignalArrival | Refusal {
  const { name } = received;
  const taker = takerOf(draft, received, at);
  if (taker !== undefined) return { ...received, taker };
  if (!canBeAwaited(plan, draft, name))
    return refuse(
      'SIGNAL_NOT_AWAITED',
      `No node of the run can take this signal "${name}": none begins to wait for it any more, and it does not pass the filter of those that wait.`,
    );
  if (draft.list(keptSignalsKey).length >= maxKeptSignals)
    return refuse(
      'SIGNALS_FULL',
      `The run keeps ${maxKeptSignals} signals already that no node has taken. Send the signal "${name}" again when it has taken some.`,
    );
  return { ...received, taker };
}

function receive(
  context: DecisionContext,
  { id, data, note }: SignalCommand,
  { name, facts, taker }: SignalArrival,
): void {
  const { emit, writeMessage } = context;
  const message = { ...writeMessage(signalBody({ name, data: data ?? note, id })), source: name };
  emit({ type: 'signal.received', name, ...(id === undefined ? {} : { id }), message, facts, bodies: 1 });
  if (taker !== undefined) giveSignal(context, taker, message);
}

/** Steps the terminations that wait for a signal. Returns false if there are none. */
function stepObservingTerminations(context: DecisionContext, { name, note }: SignalCommand): boolean {
  const { draft, plan } = context;
  let isObserved = false;
  for (const at of activeTerminations(plan, draft)) {
    const observations = (terminationOf(plan, draft, at)?.leaves ?? []).flatMap(({ path, config, definition }) => {
      const observed = definition.onSignal?.(config, note === undefined ? { name } : { name, note });
      return observed === undefined ? [] : [[path, observed] as const];
    });
    if (observations.length === 0) continue;
    isObserved = true;
    stepTermination(context, at, { leaves: Object.fromEntries(observations) });
  }
  return isObserved;
}
