import type { ActivationId, InputRef, Message, Plan, RunId } from '@millrace/core';
import { Draft, evolve, inputOf, State } from '@millrace/core';
import { readJournal } from '../journal/read-journal.ts';
import type { Activation } from './activation-projection.ts';
import { activationOf } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';
import { readActivations } from './read-activations.ts';

/*
 * Reads the input and the result of an activation. The state forgets an activation when it has settled; the journal
 * does not. So for the input of a settled activation the journal is folded again from its beginning, up to the event
 * that settled it: that costs as much as the run had done until then, and nothing while nobody asks. Lists cost less,
 * see read-activations.ts.
 */

/** An activation and its messages. */
export interface ActivationDetail extends Activation {
  /** Complete input of the node: the messages in its inbox and those that its context has kept. */
  readonly input: readonly Message[];
  readonly output: readonly Message[];
}

/** Returns one activation with its messages; undefined when there is no such activation, or run. */
export async function findActivation(
  source: ActivationSource,
  run: RunId,
  id: ActivationId,
): Promise<ActivationDetail | undefined> {
  const read = await readActivations(source, run, { after: Number(id.slice(1)) - 1, limit: 1 });
  const [projection] = read?.projections ?? [];
  if (read === undefined || projection?.id !== id) return undefined;
  const { now } = read;
  const isLive = now.state.get(`activation/${id}`) !== undefined;
  const refs = isLive ? inputOf(now.plan, now.state, id) : await settledInput({ source, run, plan: now.plan }, id);
  const activation = activationOf(projection, now);
  const input = await source.runs.messages(run, refs);
  const output = await source.runs.messages(run, projection.outputs);
  return { ...activation, input, output };
}

interface ActivationOwner {
  readonly source: ActivationSource;
  readonly run: RunId;
  readonly plan: Plan;
}

/** Returns the input of a settled activation as it was before the event that settled it. */
async function settledInput({ source, run, plan }: ActivationOwner, id: ActivationId): Promise<readonly InputRef[]> {
  const state = new State();
  let input: readonly InputRef[] = [];
  for await (const { event, at } of readJournal(source.store, run, '0')) {
    const wasLive = state.get(`activation/${id}`) !== undefined;
    if (wasLive && 'activation' in event && event.activation === id) input = inputOf(plan, state, id);
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
    if (wasLive && state.get(`activation/${id}`) === undefined) break;
  }
  return input;
}
