import type { ActivationId, InputRef, JournalEntry, Message, MessageRef, Plan, RunId } from '@millrace/core';
import { Draft, evolve, inputOf, locateActivation, State } from '@millrace/core';
import type { OpenRun } from '../commit/cached-run.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { Store } from '../store/port.ts';
import type { Activation, ActivationProjection } from './activation-projection.ts';
import { activationOf, applyToProjection, beginProjection } from './activation-projection.ts';

/*
 * Reads the input and the result of an activation. The state forgets an activation when it has settled; the journal
 * does not. So the journal is folded again from its beginning, up to the event that settled the activation: that costs
 * as much as the run had done until then, and nothing while nobody asks. Lists cost less, see list-activations.ts.
 */

/** An activation and its messages. */
export interface ActivationDetail extends Activation {
  /** Complete input of the node: the messages in its inbox and those that its context has kept. */
  readonly input: readonly Message[];
  readonly output: readonly Message[];
}

/** The part of the runs of a process that reading activations needs. */
interface RunReader {
  refresh(run: RunId): Promise<OpenRun | undefined>;
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]>;
}

/** Sources that activations are read from. */
export interface ActivationSource {
  readonly runs: RunReader;
  readonly store: Pick<Store, 'journal'>;
}

/** Returns one activation with its messages; undefined when there is no such activation, or run. */
export async function findActivation(
  source: ActivationSource,
  run: RunId,
  id: ActivationId,
): Promise<ActivationDetail | undefined> {
  const now = await source.runs.refresh(run);
  if (now === undefined) return undefined;
  const history = new ActivationHistory(now.plan, id);
  for await (const entry of readJournal(source.store, run, '0')) {
    history.take(entry);
    if (history.projection?.settledAt !== undefined) break;
  }
  const { projection } = history;
  if (projection === undefined) return undefined;
  const activation = activationOf(projection, now.state);
  const input = await source.runs.messages(run, history.input);
  const output = await source.runs.messages(run, projection.outputs);
  return { ...activation, input, output };
}

/** State of a run, event by event, and the projection of one activation. */
class ActivationHistory {
  projection: ActivationProjection | undefined;
  readonly #plan: Plan;
  readonly #id: ActivationId;
  readonly #state = new State();
  #input: readonly InputRef[] = [];

  constructor(plan: Plan, id: ActivationId) {
    this.#plan = plan;
    this.#id = id;
  }

  /** Input of the activation. Settling removes it from the state, so it is read before that. */
  get input(): readonly InputRef[] {
    const isLive = this.#state.get(`activation/${this.#id}`) !== undefined;
    return isLive ? inputOf(this.#plan, this.#state, this.#id) : this.#input;
  }

  take(entry: JournalEntry): void {
    const { event, at } = entry;
    const isMine = 'activation' in event && event.activation === this.#id;
    if (isMine) this.#input = this.input;
    const draft = new Draft(this.#state);
    evolve({ plan: this.#plan, draft, at }, event);
    this.#state.apply(draft.writes());
    if (!isMine) return;
    if (event.type === 'activation.ready') this.projection ??= beginProjection(at, event, this.#place());
    else if (this.projection !== undefined) applyToProjection(this.projection, entry);
  }

  #place() {
    const record = this.#state.get(`activation/${this.#id}`);
    if (record === undefined) throw new Error(`activation ${this.#id} became ready and has no record`);
    const { graph, node } = locateActivation(this.#plan, this.#state, record);
    return { node: node?.id ?? '', graph: graph.key };
  }
}
