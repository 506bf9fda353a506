import { createHash } from 'node:crypto';
import type {
  ChatRequest,
  CompleteStepCommand,
  FileChange,
  MessageBody,
  OnceTerms,
  StateView,
  StepRecord,
  UnknownRule,
  Usage,
  Wake,
  WorstCase,
} from '@millrace/core';
import { isAboveWorstCase, messageSize, NodeError, omitUndefined, oversizeProblem, wrapValue } from '@millrace/core';
import type { Attempt } from '@millrace/runtime';
import type { ActivationClock } from './activation-clock.ts';
import type { StepStart, StepTerms } from './begin-step.ts';
import { beginStep } from './begin-step.ts';
import { AttemptInterrupted } from './interrupted.ts';
import type { RequestRecorder } from './request-recorder.ts';
import type { ActionResult, RecallStep, Step } from './step.ts';
import type { StepKey } from './step-journal.ts';
import { StepJournal } from './step-journal.ts';
import { StepResults } from './step-results.ts';
import type { WorkerContext } from './worker-context.ts';

/** The steps of one attempt at an activation. */
export interface Steps {
  /** One more than the number of the last step that has a result which is or will be stored; 0: none has. */
  readonly completed: number;
  /** One of the steps so far took no result of a recording. */
  readonly isLive: boolean;
  /** Results that are not stored yet. */
  readonly results: Pick<StepResults, 'take' | 'stored'>;
  /** Returns the present state of the run. */
  state(): StateView | Promise<StateView>;
  /** Makes a step, or returns its result of an earlier attempt. Throws a {@link CallUndecided} if its call needs a decision. */
  run<T>(step: Step<T>): Promise<T>;
}

interface StepsOptions {
  readonly wake: Wake;
  readonly attempt: Attempt;
  /** Clock of the activation; a step is in hand except while it sleeps by its own `sleep`. */
  readonly clock: ActivationClock;
  readonly signal: AbortSignal;
  /** Returns the file changes since the last call; they are stored with the step that made them. */
  readonly changes: () => Promise<readonly FileChange[]>;
  /** In a replay: called for a step that has no result yet. */
  readonly recall?: RecallStep | undefined;
  /** Describes requests for the journal; undefined where they are not recorded. */
  readonly recorder?: RequestRecorder | undefined;
}

/**
 * Creates the steps of one attempt, which are numbered in their order. Each is journaled before it is made and again with
 * its result, so that an attempt after a crash finds the existing results and makes only the missing calls. Two attempts may
 * be under way at once, when a worker was taken for dead: they share the steps that either has begun, and the result that
 * is journaled first counts for both. The result of a step that only this attempt has begun, as far as it knows, is deferred
 * (see {@link StepResults}).
 */
export function createSteps(
  { runs, instrumentation, mask, onStep }: Pick<WorkerContext, 'runs' | 'instrumentation' | 'mask' | 'onStep'>,
  { wake, attempt, clock, signal, changes, recall, recorder }: StepsOptions,
): Steps {
  const journal = new StepJournal(runs, wake);
  const results = new StepResults((result) => journal.complete(result));
  let taken = 0;
  let done = 0;
  let isLive = false;
  const finished = <T>({ step }: StepKey, value: T): T => {
    done = Math.max(done, step + 1);
    recorder?.noteResult(step, value);
    return value;
  };
  const describing = (chat: ChatRequest | undefined) => recorder && chat && (() => recorder.describe(chat));
  /** Later requests build on one that the journal has. */
  const noteCall = ({ asked }: StepStart, { step }: StepKey, chat: ChatRequest | undefined): void => {
    if (asked && chat !== undefined) recorder?.noteCall(step, chat);
  };
  /** Stores a result, and returns the one that counts; `late` keeps it for people, under this node, if it does not count. */
  const stored = async <T>(place: StepKey, { result, value, late }: StoredStep<T>): Promise<T> => {
    const verdict = await journal.complete(result);
    if (verdict.type === 'accepted') return value;
    if (late !== undefined && result.unknown === undefined)
      await journal.keepLate(place, { node: late, bodies: result.bodies });
    const counting = (await journal.refreshed(place))?.result;
    if (verdict.code !== 'STEP_COMPLETED' || counting === undefined) throw new AttemptInterrupted(verdict.message);
    return (await journal.read(counting)) as T; // as every result of the step
  };
  /** Records that the outcome of a step is unknown, unless its result has arrived meanwhile. */
  const lost = <T>(place: StepKey, { rule, unknown: value }: OnceTerms<T>): Promise<T> =>
    stored(place, { result: journal.resultOf(place, { bodies: [wrapValue(value)], ...unknownFacts(rule) }), value });
  /** Makes a step that has begun. */
  const make = async <T>({ name, request, model, action }: Step<T>, begun: StepStart): Promise<ActionResult<T>> => {
    const liveOutput = runs.live.open(wake.run, { activation: wake.activation, node: attempt.node, step: name });
    const end = instrumentation.step({ attempt, name, request, model });
    const masked = mask.maskStream(liveOutput.write);
    const part = clock.begin();
    let made: ActionResult<T>;
    try {
      made = await action(begun.counts, {
        emit: masked.emit,
        sleep: part.sleep,
        ...omitUndefined({ decided: begun.decided, begun: begun.refusedLate }),
      });
    } catch (error) {
      end({ outcome: 'failed' });
      throw mask.hideInError(error);
    } finally {
      part.end();
      masked.end();
      liveOutput.end();
    }
    // The answer may repeat parts of the request.
    const value = mask.hideIn(made.value);
    const { failed, usage } = made;
    const isAboveBound = isAbove(begun.bound, usage);
    end({ outcome: failed === true ? 'failed' : 'completed', usage, value, isAboveBound });
    return value === made.value ? made : { ...made, value };
  };
  return {
    get completed() {
      return Math.min(done, results.unstorable ?? done);
    },
    get isLive() {
      return isLive;
    },
    results,
    state: () => journal.state(),
    async run<T>(given: Step<T>): Promise<T> {
      const { name, request, identity = request, insteadOf, chat, once } = given;
      const place = omitUndefined({ step: taken++, name, request: digest(identity), insteadOf });
      onStep?.(wake, { ...place, node: attempt.node, asked: identity });
      const begun = await beginStep(journal, place, { terms: given, recall, results, describe: describing(chat) });
      noteCall(begun, place, chat);
      isLive ||= begun.recorded !== true;
      // A step's result is stored by this function only, as a body that is T's JSON.
      if (begun.result !== undefined) return finished(place, (await journal.read(begun.result)) as T);
      if (once !== undefined && begun.isLost) return finished(place, await lost(place, once));
      if (isMadeOnce(given, begun)) await journal.kept(place, signal);
      signal.throwIfAborted();
      const { value, usage, model, failed, free, unknown } = await make(given, begun);
      const files = await changes();
      const bodies = [wrapValue(value)];
      assertStorable(bodies, name);
      const changed = files.length === 0 ? undefined : files;
      const facts = omitUndefined({ usage, model, failed, free, unknown, files: changed });
      const result = journal.resultOf(place, { bodies, ...facts });
      if (once !== undefined) return finished(place, await stored(place, { result, value, late: attempt.node }));
      if (
        begun.isAlone &&
        isShort(bodies) &&
        files.length === 0 &&
        isOpen(journal.known(await journal.state(), place))
      ) {
        results.defer(result);
        return finished(place, value);
      }
      return finished(place, await stored(place, { result, value }));
    },
  };
}

/** A result on its way to the journal. */
interface StoredStep<T> {
  readonly result: CompleteStepCommand;
  readonly value: T;
  readonly late?: string;
}

/** Returns what is recorded of a step whose outcome is unknown; by the rule `fail`, a retry of the activation makes it again. */
export const unknownFacts = (rule: UnknownRule): Pick<ActionResult<unknown>, 'unknown' | 'failed'> =>
  rule === 'fail' ? { unknown: rule, failed: true } : { unknown: rule };

/** Returns whether a failover must not lose that a call was begun: it must not be made twice, or a person approved it. */
const isMadeOnce = ({ once, refused }: StepTerms, { decided }: StepStart): boolean =>
  refused !== true && (decided === undefined ? once !== undefined : decided.type === 'approved');

const isOpen = (record: StepRecord | undefined): boolean => record !== undefined && record.result === undefined;

const isAbove = (bound: WorstCase | undefined, usage: Usage | undefined): boolean =>
  bound !== undefined && usage !== undefined && isAboveWorstCase(bound, usage);

const digest = (request: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(request) ?? '')
    .digest('hex')
    .slice(0, 32);

function assertStorable(bodies: readonly MessageBody[], step: string): void {
  const problem = oversizeProblem(bodies, `What "${step}" came to`);
  if (problem !== undefined) throw new NodeError('MESSAGE_TOO_LARGE', problem);
}

/**
 * Maximum number of characters of a result that is deferred. As JSON, with six characters for one at most, it is no blob: the
 * store cannot refuse it for the quota of its tenant, which has to be the failure of its node alone.
 */
const mostDeferred = 10 * 1024;

const isShort = (bodies: readonly MessageBody[]): boolean =>
  bodies.reduce((size, body) => size + messageSize(body), 0) <= mostDeferred;
