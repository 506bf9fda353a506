import type {
  DecidedCall,
  MessageId,
  NewRequest,
  StartStepCommand,
  StateView,
  StepRecord,
  WorstCase,
} from '@millrace/core';
import { NodeError, omitUndefined } from '@millrace/core';
import type { ApprovalState } from './approvals.ts';
import { approvedBy, decisionOf } from './approvals.ts';
import { AttemptInterrupted } from './interrupted.ts';
import type { DescribeRequest, RecallStep, Step } from './step.ts';
import type { StepJournal, StepKey, StepPlace } from './step-journal.ts';
import type { StepResults } from './step-results.ts';

/** Beginning of a step. */
export interface StepStart {
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
  /** Another attempt has begun it before its call was refused. */
  readonly refusedLate?: true;
  /** Its worst case, which was reserved; absent: nothing was. */
  readonly bound?: WorstCase;
}

/** The parts of a step that say how it is begun. */
export type StepTerms = Pick<
  Step<unknown>,
  'tallies' | 'acquireSlot' | 'worstCase' | 'effect' | 'once' | 'approval' | 'refused'
>;
/** What decides how a step begins. */
interface StepConditions {
  readonly terms: StepTerms;
  /** In a replay: called for a step that has no result yet. */
  readonly recall?: RecallStep | undefined;
  readonly results: StepResults;
  readonly describe?: DescribeRequest | undefined;
}

/** Waits until the step is in the journal and paid for, begun by this attempt or by another one. */
export async function beginStep(
  journal: StepJournal,
  place: StepPlace,
  conditions: StepConditions,
): Promise<StepStart> {
  const { terms, recall, results, describe } = conditions;
  const present = journal.state();
  let state = present instanceof Promise ? await present : present;
  const known = journal.known(state, place);
  if (known?.result !== undefined) return { counts: {}, ...known };
  // What is taken from a recording follows from the results before it, too.
  if (recall !== undefined) {
    await results.stored();
    if (await recall(place, terms.effect ?? 'outside', describe)) {
      const recalled = journal.known(await journal.state(), place);
      if (recalled?.result === undefined) throw new AttemptInterrupted('a recorded step was made void');
      return { counts: {}, ...recalled };
    }
  }
  const { acquireSlot } = terms;
  if (acquireSlot !== undefined) await results.during(() => acquireSlot(journal.nameOf(place)));
  for (;;) {
    const begun = await tryBegin(journal, place, state, conditions);
    if (begun !== undefined) return begun;
    state = await journal.refresh();
  }
}

/** Begins the step at the version of the run; undefined when it has moved on. */
async function tryBegin(
  journal: StepJournal,
  place: StepPlace,
  state: StateView,
  { terms, results, describe }: StepConditions,
): Promise<StepStart | undefined> {
  const known = journal.known(state, place);
  const most = terms.worstCase && (await terms.worstCase(state.get('budget')));
  const isPaid = typeof most === 'object';
  const approval = known?.result === undefined ? terms.approval?.(state) : undefined;
  const refused = isRefused(terms, approval) || undefined;
  const { once } = terms;
  const shared = sharedStart(known, { isPaid, once, refused, ...approvedBy(approval) });
  const decision = shared?.isLost === true ? {} : decisionOf(approval);
  if (shared !== undefined) {
    await results.stored();
    return { ...shared, ...decision };
  }
  await results.arrived();
  const read = terms.tallies?.((key) => state.get(`tally/${key}`) ?? 0) ?? {};
  // A step that another attempt has begun has its request already.
  const asked = known === undefined ? describe?.() : undefined;
  const begins = refused ? undefined : onceOf(known, once);
  const verdict = await results.carry(
    (completes) =>
      journal.start({
        type: 'step.start',
        tallies: read,
        ...place,
        ...approvedBy(approval),
        ...omitUndefined({ completes, refused, worst: most, asked, once: begins }),
      }),
    isReadAgain,
  );
  if (verdict.type === 'accepted') {
    const begun = { counts: known?.counts ?? raised(read), ...startOf(known, asked), ...decision };
    if (!isPaid) return known === undefined ? { isAlone: true, ...begun } : begun;
    await assertPaid(journal, place);
    return { bound: most, ...begun };
  }
  throwFinal(verdict);
  return undefined;
}

const isRefused = ({ refused }: StepTerms, approval: ApprovalState | undefined): boolean =>
  refused === true || approval?.type === 'rejected';

/** Throws for a refusal that holds whatever is read again. */
function throwFinal({ code, message }: { readonly code: string; readonly message: string }): void {
  if (unapproved.has(code)) throw new NodeError(code, message);
  if (!readAgain.has(code)) throw new AttemptInterrupted(message);
}

/** Returns the start of a step that another attempt has begun; undefined if this one has to begin it, too. */
function sharedStart(
  known: StepRecord | undefined,
  { isPaid, once, refused, approval }: SharedTerms,
): StepStart | undefined {
  if (known === undefined) return undefined;
  if (known.result !== undefined) return { counts: {}, ...known };
  // No attempt has made the call so far.
  if (known.refused) return refused && { counts: {}, ...known };
  if (once !== undefined && once.rule !== 'repeat') return { counts: {}, ...known, isLost: true };
  if (refused) return { counts: {}, ...known, refusedLate: true };
  // A call that another attempt has begun is shared, but this one has to be paid for, and approved, too.
  const isApproved = approval === undefined || approval === known.approval;
  return isPaid || once !== undefined || !isApproved ? undefined : { counts: {}, ...known };
}

/** Returns how a step begins that must not be made twice; no attempt has made a call that was refused so far. */
const onceOf = (known: StepRecord | undefined, once: StepTerms['once']): StartStepCommand['once'] =>
  once && (known === undefined || known.refused ? 'first' : 'again');

/** What decides if a step that another attempt has begun is shared. */
interface SharedTerms extends Pick<StepTerms, 'once' | 'refused'>, Pick<StartStepCommand, 'approval'> {
  readonly isPaid: boolean;
}

/** Returns whether the journal has the request of a step: this attempt has just stored it, or another one has. */
const startOf = (known: StepRecord | undefined, asked: NewRequest | undefined): Pick<StepStart, 'asked'> =>
  (known === undefined ? asked !== undefined : known.asked === true) ? { asked: true } : {};

const raised = (read: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(read).map(([key, value]) => [key, value + 1]));

/** Refusals of a call that is not the approved one, or that was made already: a further attempt would be refused, too. */
const unapproved: ReadonlySet<string> = new Set(['APPROVAL_MISMATCH', 'APPROVAL_USED']);

/** Refusals of a step that hold only for what was read before. */
const readAgain: ReadonlySet<string> = new Set(['TALLY_MOVED', 'STEP_BEGUN', 'BUDGET_MOVED']);
const isReadAgain = (code: string): boolean => readAgain.has(code);

/**
 * The activation waits for money, without this worker, when none was set aside for the step. By the time that this attempt looks,
 * money may have come, and be set aside for the step of an attempt that was woken by it.
 */
async function assertPaid(journal: StepJournal, place: StepKey): Promise<void> {
  const present = await journal.state();
  journal.assertLive(present);
  if (journal.known(present, place)?.reserved === undefined)
    throw new AttemptInterrupted('the budget of the run has no room for the next call');
}
