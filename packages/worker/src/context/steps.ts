import { createHash } from 'node:crypto';
import type {
  BudgetRecord,
  CallBound,
  ChatRequest,
  CompleteStepCommand,
  DecidedCall,
  FileChange,
  MessageBody,
  MessageId,
  NewRequest,
  OnceTerms,
  StateView,
  StepAction,
  StepRecord,
  UnknownRule,
  Usage,
  Wake,
  WorstCase,
} from '@millrace/core';
import { isAboveWorstCase, messageSize, NodeError, omitUndefined, oversizeProblem, wrapValue } from '@millrace/core';
import type { Attempt, StepBegun } from '@millrace/runtime';
import type { ActivationClock } from './activation-clock.ts';
import type { ApprovalState } from './approvals.ts';
import { approvedBy, decisionOf } from './approvals.ts';
import { AttemptInterrupted } from './interrupted.ts';
import type { RequestRecorder } from './request-recorder.ts';
import type { StepJournal, StepKey, StepPlace } from './step-journal.ts';
import { journalOf } from './step-journal.ts';
import type { StepResults } from './step-results.ts';
import { createStepResults } from './step-results.ts';
import type { WorkerContext } from './worker-context.ts';

/** Result of a step. A failed one is recorded, too, until the activation is retried. */
interface ActionResult<T> {
  readonly value: T;
  readonly usage?: Usage;
  /** The model that the usage is of. */
  readonly model?: string;
  readonly failed?: true;
  /** It failed, and cost nothing. */
  readonly free?: true;
  /** Nobody knows what came of it; this rule decides what follows. */
  readonly unknown?: UnknownRule;
}

/** The largest cost of a step; undefined: none. */
export type CostBound = CallBound | 'unlimited' | undefined;

/** A side effect that is to happen once. */
export interface Step<T> {
  /** The same on every attempt. */
  readonly name: string;
  /** The model that it asks; absent for other steps. */
  readonly model?: StepBegun['model'];
  /** The model that gave no answer, in whose place this one is asked. */
  readonly insteadOf?: string | undefined;
  /** Request to the outside, as JSON; must hold no secret. A retry with another request gets a new answer. */
  readonly request: unknown;
  /** The request to a model, which the journal stores for people; absent for other steps. */
  readonly chat?: ChatRequest;
  /** Part of the request by which the step is recognised; absent: the whole. */
  readonly identity?: unknown;
  /** Returns the counts of the run that it raises, with their values as read. */
  readonly tallies?: (read: (key: string) => number) => Readonly<Record<string, number>>;
  /** Waits until it may begin; the name is the same on every attempt. Throws to have the activation postponed. */
  readonly acquireSlot?: (who: string) => Promise<void>;
  /** Returns the largest cost in a run with this budget; called when there is no result yet. */
  readonly worstCase?: (budget: BudgetRecord | undefined) => CostBound | Promise<CostBound>;
  /** Its action reads and changes nothing that outlives the run; absent for others. */
  readonly effect?: StepEffect;
  /** It must not be made twice; absent for others. */
  readonly once?: OnceTerms<T> | undefined;
  /** Returns the state of its call, which a person must approve; absent for others. */
  readonly approval?: ((state: StateView) => ApprovalState) | undefined;
  readonly action: (
    counts: Readonly<Record<string, number>>,
    doing: Pick<StepAction, 'emit' | 'sleep' | 'decided'>,
  ) => Promise<ActionResult<T>>;
}

/**
 * Effect of a step on the world outside of its run, which decides what a replay may do in place of a recorded result: `model`
 * asks one, `program` executes one in the files of the run, `none` reads, and `outside` may do anything.
 */
export type StepEffect = 'model' | 'program' | 'none' | 'outside';

/** The steps of one attempt at an activation. */
export interface Steps {
  /** One more than the number of the last step that has a result which is or will be stored; 0: none has. */
  readonly completed: number;
  /** One of the steps so far took no result of a recording. */
  readonly isLive: boolean;
  /** Results that are not stored yet. */
  readonly results: Pick<StepResults, 'take' | 'stored'>;
  /** Returns the present state of the run. */
  state(): Promise<StateView>;
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
 * Gives a step of a replay its recorded result, and returns true; returns false if the step is to be made. Throws if it may
 * not be.
 */
export type RecallStep = (place: StepPlace, effect: StepEffect, describe?: DescribeRequest) => Promise<boolean>;

/** Returns the description of the request of a step for the journal. */
export type DescribeRequest = () => NewRequest;

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
  const journal = journalOf(runs, wake);
  const results = createStepResults(journal.complete);
  let taken = 0;
  let done = 0;
  let isLive = false;
  const finished = <T>({ step }: StepKey, value: T): T => {
    done = Math.max(done, step + 1);
    recorder?.noteResult(step, value);
    return value;
  };
  /** Begins a step; later requests build on one that the journal has. */
  const beginCall = async (place: StepPlace, chat: ChatRequest | undefined, asked: StepTerms): Promise<StepStart> => {
    if (recorder === undefined || chat === undefined) return begin(journal, place, { ...asked, recall, results });
    const begun = await begin(journal, place, { ...asked, recall, results, describe: () => recorder.describe(chat) });
    if (begun.asked) recorder.noteCall(place.step, chat);
    return begun;
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
  return {
    get completed() {
      return Math.min(done, results.unstorable ?? done);
    },
    get isLive() {
      return isLive;
    },
    results,
    state: journal.state,
    async run<T>(given: Step<T>): Promise<T> {
      const { name, request, identity = request, action, model, insteadOf, chat, once, ...asked } = given;
      const key = { step: taken++, name, request: digest(identity) };
      const place = { ...key, ...omitUndefined({ insteadOf }) };
      onStep?.(wake, { ...key, node: attempt.node, asked: identity });
      const begun = await beginCall(place, chat, { ...asked, ...omitUndefined({ once }) });
      isLive ||= begun.recorded !== true;
      // A step's result is stored by this function only, as a body that is T's JSON.
      if (begun.result !== undefined) return finished(place, (await journal.read(begun.result)) as T);
      if (once !== undefined && begun.isLost) return finished(place, await lost(place, once));
      await (isMadeOnce(once, begun) && journal.kept(key, signal));
      signal.throwIfAborted();
      const liveOutput = runs.live.open(wake.run, { activation: wake.activation, node: attempt.node, step: name });
      const end = instrumentation.step({ attempt, name, request, model });
      const masked = mask.maskStream(liveOutput.write);
      const part = clock.begin();
      const doing = () =>
        action(begun.counts, {
          emit: masked.emit,
          sleep: part.sleep,
          ...omitUndefined({ decided: begun.decided }),
        }).finally(() => {
          part.end();
          masked.end();
          liveOutput.end();
        });
      const { value: made, ...facts } = await doing().catch((error: unknown) => {
        end({ outcome: 'failed' });
        throw mask.hideInError(error);
      });
      // The answer may repeat parts of the request.
      const value = mask.hideIn(made);
      end({
        outcome: facts.failed === true ? 'failed' : 'completed',
        usage: facts.usage,
        value,
        isAboveBound: isAbove(begun.bound, facts.usage),
      });
      const files = await changes();
      const bodies = [wrapValue(value)];
      assertStorable(bodies, name);
      const result = journal.resultOf(key, {
        bodies,
        ...(files.length === 0 ? {} : { files }),
        ...facts,
      });
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

interface StepStart {
  readonly counts: Readonly<Record<string, number>>;
  readonly result?: MessageId;
  /** The result is that of a recording. */
  readonly recorded?: true;
  /** This attempt has begun it, and reserved nothing for it. */
  readonly isAlone?: true;
  /** Its request is in the journal. */
  readonly asked?: true;
  /** Another attempt has begun it, it must not be made twice, and no rule says that it is made again. */
  readonly isLost?: true;
  /** The decision on its call; absent: it needs none. */
  readonly decided?: DecidedCall;
  /** Its worst case, which was reserved; absent: nothing was. */
  readonly bound?: WorstCase;
}

/** Returns whether a failover must not lose that a call was begun: it must not be made twice, or a person approved it. */
const isMadeOnce = (once: OnceTerms<unknown> | undefined, { decided }: StepStart): boolean =>
  decided === undefined ? once !== undefined : decided.type === 'approved';

/** The parts of a step that say how it is begun. */
type StepTerms = Pick<Step<unknown>, 'tallies' | 'acquireSlot' | 'worstCase' | 'effect' | 'once' | 'approval'>;
interface StepConditions extends StepTerms, Pick<StepsOptions, 'recall'> {
  readonly results: StepResults;
  readonly describe?: DescribeRequest;
}

/** Waits until the step is in the journal and paid for, begun by this attempt or by another one. */
async function begin(journal: StepJournal, place: StepPlace, beginning: StepConditions): Promise<StepStart> {
  let state = await journal.state();
  const known = journal.known(state, place);
  if (known?.result !== undefined) return { counts: {}, ...known };
  // What is taken from a recording follows from the results before it, too.
  if (beginning.recall !== undefined) await beginning.results.stored();
  if (await beginning.recall?.(place, beginning.effect ?? 'outside', beginning.describe)) {
    const recalled = journal.known(await journal.state(), place);
    if (recalled?.result === undefined) throw new AttemptInterrupted('a recorded step was made void');
    return { counts: {}, ...recalled };
  }
  await beginning.acquireSlot?.(journal.nameOf(place));
  for (;;) {
    const begun = await tryBegin(journal, place, { ...beginning, state });
    if (begun !== undefined) return begun;
    state = await journal.refresh();
  }
}

/** Begins the step at the version of the run; undefined when it has moved on. */
async function tryBegin(
  journal: StepJournal,
  place: StepPlace,
  { tallies, worstCase: worst, results, state, describe, ...terms }: StepConditions & { readonly state: StateView },
): Promise<StepStart | undefined> {
  const known = journal.known(state, place);
  const most = await worst?.(state.get('budget'));
  const isPaid = typeof most === 'object';
  const approval = known?.result === undefined ? terms.approval?.(state) : undefined;
  // A call that is not made has no unknown outcome.
  const once = approval?.type === 'rejected' ? undefined : terms.once;
  const shared = sharedStart(known, { isPaid, once });
  const decision = shared?.isLost === true ? {} : decisionOf(approval);
  if (shared !== undefined) {
    await results.stored();
    return { ...shared, ...decision };
  }
  await results.arrived();
  const read = tallies?.((key) => state.get(`tally/${key}`) ?? 0) ?? {};
  // A step that another attempt has begun has its request already.
  const asked = known === undefined ? describe?.() : undefined;
  const begins = once && (known === undefined ? 'first' : 'again');
  const command = { type: 'step.start', ...place, tallies: read } as const;
  const verdict = await results.carry(
    (completes) =>
      journal.start({
        ...command,
        ...approvedBy(approval),
        ...omitUndefined({ worst: most, completes, asked, once: begins }),
      }),
    (code) => readAgain.has(code),
  );
  if (verdict.type === 'accepted') {
    const begun = { ...startOf(known, asked), ...decision, counts: known?.counts ?? raised(read) };
    if (!isPaid) return { ...begun, isAlone: true };
    await assertPaid(journal, place);
    return { ...begun, bound: most };
  }
  if (unapproved.has(verdict.code)) throw new NodeError(verdict.code, verdict.message);
  if (!readAgain.has(verdict.code)) throw new AttemptInterrupted(verdict.message);
  return undefined;
}

/** Returns the start of a step that another attempt has begun; undefined if this one has to begin it, too. */
function sharedStart(
  known: StepRecord | undefined,
  { isPaid, once }: Pick<StepTerms, 'once'> & { readonly isPaid: boolean },
): StepStart | undefined {
  if (known === undefined) return undefined;
  if (known.result !== undefined) return { counts: {}, ...known };
  // A call that another attempt has begun is shared, but this one has to be paid for, too.
  if (isPaid || once?.rule === 'repeat') return undefined;
  return { counts: {}, ...known, ...(once === undefined ? {} : { isLost: true }) };
}

const isOpen = (record: StepRecord | undefined): boolean => record !== undefined && record.result === undefined;

/** Returns whether the journal has the request of a step: this attempt has just stored it, or another one has. */
const startOf = (known: StepRecord | undefined, asked: NewRequest | undefined): Pick<StepStart, 'asked'> =>
  (known === undefined ? asked !== undefined : known.asked === true) ? { asked: true } : {};

const isAbove = (bound: WorstCase | undefined, usage: Usage | undefined): boolean =>
  bound !== undefined && usage !== undefined && isAboveWorstCase(bound, usage);

const raised = (read: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(read).map(([key, value]) => [key, value + 1]));

/** Refusals of a call that is not the approved one, or that was made already: a further attempt would be refused, too. */
const unapproved: ReadonlySet<string> = new Set(['APPROVAL_MISMATCH', 'APPROVAL_USED']);

/** Refusals of a step that hold only for what was read before. */
const readAgain: ReadonlySet<string> = new Set(['TALLY_MOVED', 'STEP_BEGUN', 'BUDGET_MOVED']);

/** The activation waits for money, without this worker, when none was set aside for the step. */
async function assertPaid(journal: StepJournal, place: StepKey): Promise<void> {
  if (journal.known(await journal.state(), place)?.reserved === undefined)
    throw new AttemptInterrupted('the budget of the run has no room for the next call');
}

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
