import type { ActivationId, EventOf, JournalEntry, KeptSignal, MessageId, RunId } from '@millrace/core';
import { RequestError, withoutTenant } from '@millrace/core';
import { unknownActivation } from './find-ancestor.ts';

/** A fork under another plan, or with another input, which is repeated as it was. */
export interface ChangedPast {
  readonly forked: EventOf<'run.forked'>;
  /** Id of its event. */
  readonly end: string;
}

/** What a replay needs of a journal as a whole, folded entry by entry. */
export class RecordedPast {
  readonly #run: RunId;
  readonly #liveFrom: ActivationId | undefined;
  readonly #signals = new Map<MessageId, KeptSignal>();
  #entered: EventOf<'graph.entered'> | undefined;
  #change: ChangedPast | undefined;
  #hasLiveFrom = false;
  /** The activation from which on the replay is live was settled: by now, and when the past changed. */
  #isSettled = false;
  #wasSettled = false;

  constructor(run: RunId, liveFrom: ActivationId | undefined) {
    this.#run = run;
    this.#liveFrom = liveFrom;
  }

  /** Entry of the root graph. */
  get entered(): EventOf<'graph.entered'> | undefined {
    return this.#entered;
  }

  /** The last change of the past; undefined without one. */
  get change(): ChangedPast | undefined {
    return this.#change;
  }

  /** Events from outside that no activation before the live part has taken, oldest first. */
  get signals(): readonly KeptSignal[] {
    return this.#liveFrom === undefined ? [] : [...this.#signals.values()];
  }

  /** Adds the next entry of the journal. Throws RequestError for one that cannot be replayed. */
  add({ id, event }: JournalEntry): void {
    switch (event.type) {
      case 'graph.entered':
        if (event.caller === undefined) this.#enter(event);
        break;
      case 'run.told':
        if (this.#liveFrom === undefined) throw this.#toldMore();
        break;
      case 'run.forked':
        if (event.plan === undefined && event.input === undefined) break;
        this.#change = { forked: event, end: id };
        this.#wasSettled = this.#isSettled;
        break;
      case 'activation.ready':
        this.#hasLiveFrom ||= event.activation === this.#liveFrom;
        break;
      case 'activation.completed':
      case 'activation.opened':
        this.#isSettled ||= event.activation === this.#liveFrom;
        break;
      case 'signal.received':
        this.#signals.set(event.message.id, event);
        break;
      case 'activation.answered':
        if (this.#liveFrom === undefined || numberOf(event.activation) < numberOf(this.#liveFrom))
          this.#signals.delete(event.answer.id);
        break;
      default:
      // Other events are found in the copy where they are needed.
    }
  }

  /** Throws RequestError when the whole journal cannot be replayed live from the activation. */
  assertWhole(): void {
    if (this.#liveFrom === undefined) return;
    if (!this.#hasLiveFrom) throw unknownActivation(this.#run, this.#liveFrom);
    if (this.#change !== undefined && this.#wasSettled)
      throw new RequestError(
        'REPLAY_IMPOSSIBLE',
        `Run ${withoutTenant(this.#run)} is a fork under another workflow, and ${this.#liveFrom} was settled before the fork, under the earlier one. Fork the run at ${this.#liveFrom} instead.`,
      );
  }

  #enter(event: EventOf<'graph.entered'>): void {
    if (this.#entered !== undefined && !this.#hasLiveFrom) throw this.#toldMore();
    this.#entered ??= event;
  }

  #toldMore(): RequestError {
    return new RequestError(
      'REPLAY_IMPOSSIBLE',
      `Run ${this.#run} was told more when it was resumed; that has no place in a replay. Fork it instead.`,
    );
  }
}

/** Activations are numbered as they become ready. */
const numberOf = (activation: ActivationId): number => Number(activation.slice(1));
