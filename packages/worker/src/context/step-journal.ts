import type {
  CompleteStepCommand,
  LateStepCommand,
  MessageId,
  StartStepCommand,
  StateView,
  StepRecord,
  Wake,
} from '@millrace/core';
import { liveActivation, NodeError, unwrapValue } from '@millrace/core';
import type { OpenRun, Runs, Verdict } from '@millrace/runtime';
import { UnrecoverableRunError } from '@millrace/runtime';
import { AttemptInterrupted } from './interrupted.ts';

/** Key of a step in the journal: its number, its name and the hash of its request. */
export interface StepKey {
  readonly step: number;
  readonly name: string;
  readonly request: string;
}

/** A step with what the journal says of it beside its key. */
export type StepPlace = StepKey & Pick<StartStepCommand, 'insteadOf'>;

/** A step's command without what is the same for all steps of an attempt. */
type StartBody = Omit<StartStepCommand, 'activation' | 'token'>;
type ResultBody = Omit<CompleteStepCommand, 'type' | 'activation' | 'token' | keyof StepKey>;

/** Access of the steps of one attempt to the journal of their run. An unreachable run is never the node's failure. */
export class StepJournal {
  readonly #runs: Runs;
  readonly #wake: Wake;

  constructor(runs: Runs, wake: Wake) {
    this.#runs = runs;
    this.#wake = wake;
  }

  /** Returns the record of a step that was begun with the same request. */
  known(state: StateView, { step, name, request }: StepKey): StepRecord | undefined {
    const record = state.get(`step/${this.#wake.activation}/${step}`);
    return record?.name === name && record.request === request ? record : undefined;
  }

  /** Throws if the activation is over, or another attempt has been woken since. */
  assertLive(present: StateView): void {
    const live = liveActivation(present, this.#wake);
    if (live.type !== 'live') throw new AttemptInterrupted(live.message);
  }

  nameOf({ step }: StepKey): string {
    return `${this.#wake.run}.${this.#wake.activation}.${step}`;
  }

  /** Returns the state of the run; synchronously when this process knows the run. */
  state(): StateView | Promise<StateView> {
    const { run, activation, token } = this.#wake;
    const opened = this.#runs.open(run, activation, token);
    return opened instanceof Promise ? this.#reach(opened).then((open) => this.#stateOf(open)) : this.#stateOf(opened);
  }

  async refresh(): Promise<StateView> {
    return this.#stateOf(await this.#reach(this.#runs.refresh(this.#wake.run)));
  }

  async refreshed(place: StepPlace): Promise<StepRecord | undefined> {
    return this.known(await this.refresh(), place);
  }

  start(command: StartBody): Promise<Verdict> {
    const { run, activation, token } = this.#wake;
    return this.#reach(this.#runs.submit(run, { activation, token, ...command }));
  }

  /**
   * Waits until replicas have that a step was begun, for calls that must not be made twice. It waits for as long as too few
   * replicas answer: a call that is given up before it is made counts as one of unknown outcome.
   */
  async kept(place: StepPlace, signal: AbortSignal): Promise<void> {
    const { run } = this.#wake;
    let look: () => StateView | Promise<StateView> = () => this.state();
    for (;;) {
      const { type } = await this.#reach(this.#runs.confirm(run));
      signal.throwIfAborted();
      const present = await look();
      const record = this.known(present, place);
      if (type === 'diverged' || record === undefined)
        throw new AttemptInterrupted(`run ${run} has lost that step ${place.step} was begun`);
      if (record.result !== undefined)
        throw new AttemptInterrupted(`another attempt has gone on without the result of step ${place.step}`);
      // The time of its node may have ended meanwhile.
      this.assertLive(present);
      if (type === 'confirmed') return;
      look = () => this.refresh();
    }
  }

  complete(command: CompleteStepCommand): Promise<Verdict> {
    return this.#reach(this.#runs.submit(this.#wake.run, command));
  }

  /** Keeps a result that does not count, for people. */
  async keepLate({ step, name }: StepKey, { node, bodies }: Pick<LateStepCommand, 'node' | 'bodies'>): Promise<void> {
    const { run, activation } = this.#wake;
    await this.#reach(this.#runs.submit(run, { type: 'step.late', activation, step, name, node, bodies }));
  }

  resultOf({ step, name, request }: StepKey, result: ResultBody): CompleteStepCommand {
    const { activation, token } = this.#wake;
    return { type: 'step.complete', activation, token, step, name, request, ...result };
  }

  async read(result: MessageId): Promise<unknown> {
    const [body] = await this.#reach(this.#runs.bodies(this.#wake.run, [result]));
    return unwrapValue(body);
  }

  #reach<T>(asked: Promise<T>): Promise<T> {
    return asked.catch((error: unknown) => {
      // A later attempt would be refused as well: the node has exceeded a limit, or the run cannot be continued.
      if (error instanceof UnrecoverableRunError) throw error.cause instanceof NodeError ? error.cause : error;
      throw new AttemptInterrupted(`run ${this.#wake.run} could not be reached`, error);
    });
  }

  #stateOf(open: OpenRun | undefined): StateView {
    if (open === undefined) throw new AttemptInterrupted(`there is no run ${this.#wake.run} any more`);
    return open.state;
  }
}
