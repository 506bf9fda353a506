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
import type { OpenRun, Runs } from '@millrace/runtime';
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

/** Access of the steps of one attempt to the journal of their run. */
export type StepJournal = ReturnType<typeof journalOf>;
/** A step's command without what is the same for all steps of an attempt. */
type StartBody = Omit<StartStepCommand, 'activation' | 'token'>;
type ResultBody = Omit<CompleteStepCommand, 'type' | 'activation' | 'token' | keyof StepKey>;

/** Creates the access of steps to the journal of their run. An unreachable run is never the node's failure. */
export function journalOf(runs: Runs, { run, activation, token }: Wake) {
  const unreached = (error: unknown): never => {
    // A later attempt would be refused as well: the node has exceeded a limit, or the run cannot be continued.
    if (error instanceof UnrecoverableRunError) throw error.cause instanceof NodeError ? error.cause : error;
    throw new AttemptInterrupted(`run ${run} could not be reached`, error);
  };
  const reach = <T>(asked: Promise<T>): Promise<T> => asked.catch(unreached);
  const stateOf = (open: OpenRun | undefined): StateView => {
    if (open === undefined) throw new AttemptInterrupted(`there is no run ${run} any more`);
    return open.state;
  };
  /** The record of a step that was begun with the same request. */
  const known = (state: StateView, { step, name, request }: StepKey): StepRecord | undefined => {
    const record = state.get(`step/${activation}/${step}`);
    return record?.name === name && record.request === request ? record : undefined;
  };
  const refresh = async () => stateOf(await reach(runs.refresh(run)));
  /** Synchronous when this process knows the run. */
  const state = (): StateView | Promise<StateView> => {
    const opened = runs.open(run, activation, token);
    return opened instanceof Promise ? reach(opened).then(stateOf) : stateOf(opened);
  };
  /** Throws if the activation is over, or another attempt has been woken since. */
  const assertLive = (present: StateView): void => {
    const live = liveActivation(present, { activation, token });
    if (live.type !== 'live') throw new AttemptInterrupted(live.message);
  };
  return {
    known,
    assertLive,
    refresh,
    nameOf: ({ step }: StepKey) => `${run}.${activation}.${step}`,
    state,
    refreshed: async (place: StepKey) => known(await refresh(), place),
    start: (command: StartBody) => reach(runs.submit(run, { activation, token, ...command })),
    /**
     * Waits until replicas have that a step was begun, for calls that must not be made twice. It waits for as long as too few
     * replicas answer: a call that is given up before it is made counts as one of unknown outcome.
     */
    async kept(place: StepKey, signal: AbortSignal): Promise<void> {
      for (let look = state; ; look = refresh) {
        const { type } = await reach(runs.confirm(run));
        signal.throwIfAborted();
        const present = await look();
        const record = known(present, place);
        if (type === 'diverged' || record === undefined)
          throw new AttemptInterrupted(`run ${run} has lost that step ${place.step} was begun`);
        if (record.result !== undefined)
          throw new AttemptInterrupted(`another attempt has gone on without the result of step ${place.step}`);
        // The time of its node may have ended meanwhile.
        assertLive(present);
        if (type === 'confirmed') return;
      }
    },
    complete: (command: CompleteStepCommand) => reach(runs.submit(run, command)),
    /** Keeps a result that does not count, for people. */
    async keepLate({ step, name }: StepKey, { node, bodies }: Pick<LateStepCommand, 'node' | 'bodies'>): Promise<void> {
      await reach(runs.submit(run, { type: 'step.late', activation, step, name, node, bodies }));
    },
    resultOf: ({ step, name, request }: StepKey, result: ResultBody): CompleteStepCommand => ({
      type: 'step.complete',
      activation,
      token,
      step,
      name,
      request,
      ...result,
    }),
    async read(result: MessageId): Promise<unknown> {
      const [body] = await reach(runs.bodies(run, [result]));
      return unwrapValue(body);
    },
  };
}
