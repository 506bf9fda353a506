import { isDeepStrictEqual } from 'node:util';
import type { ActivationId, AgendaItem, Event, JournalEntry, Plan, RunId, StateView } from '@millrace/core';
import {
  activationsOf,
  agendaItemId,
  alarmsOf,
  canStart,
  Draft,
  evolve,
  hasEnded,
  isBlocked,
  isExecuting,
  pausesWithRun,
  runOf,
  State,
  wakeOf,
} from '@millrace/core';

/** A violated invariant of a run; `run` and `subject` say where it was found. */
export interface Violation {
  readonly code:
    | 'FOLD_DIFFERS'
    | 'JOURNAL_BROKEN'
    | 'SETTLED_TWICE'
    | 'LOST'
    | 'COUNT_DIFFERS'
    | 'AGENDA_DIFFERS'
    | 'STALLED';
  readonly run: RunId;
  /** A key of the state, a journal id, an activation or a wake. */
  readonly subject: string;
  readonly message: string;
}

/** A run as of one moment, with its whole journal. */
export interface AuditedRun {
  readonly run: RunId;
  readonly plan: Plan;
  readonly state: State;
  readonly version: number;
  readonly nonce: string;
  readonly journal: readonly JournalEntry[];
  /** Entries of this run on the agenda. */
  readonly agenda: readonly AgendaItem[];
}

/**
 * Checks the invariants that everything else relies on: the stored state equals the fold of the journal, each
 * activation is settled once, and every activation and alarm that can continue is on the agenda, so that the caretaker
 * finds it even when everything else is lost.
 */
export function auditRun(audited: AuditedRun): readonly Violation[] {
  return [...checkJournal(audited), ...checkFold(audited), ...checkSettled(audited), ...checkLiveness(audited)];
}

type Finding = Omit<Violation, 'run'>;
const violationsOf = (run: RunId, findings: readonly Finding[]): Violation[] =>
  findings.map((finding) => ({ run, ...finding }));

/**
 * Checks that the ids have no gaps, that the last one has the run's version, and that the end is followed only by what
 * continues the run, a resume, which may set a budget first, or a fork, and by results that came too late.
 */
function checkJournal({ run, journal, version }: AuditedRun): Violation[] {
  const findings: Finding[] = [];
  const broken = (subject: string, message: string) => findings.push({ code: 'JOURNAL_BROKEN', subject, message });
  let before = { version: 0, n: 0 };
  for (const { id } of journal) {
    const [ofCommit = 0, n = 0] = id.split('-').map(Number);
    const next = n === 0 ? ofCommit === before.version + 1 : ofCommit === before.version && n === before.n + 1;
    if (!next) broken(id, `It comes after ${before.version}-${before.n}.`);
    before = { version: ofCommit, n };
  }
  if (before.version !== version) broken(`${before.version}`, `The journal ends there, the run is at ${version}.`);
  let isEnded = false;
  for (const { id, event } of journal) {
    if (isEnded && !continuing.has(event.type) && !afterEnd.has(event.type))
      broken(id, 'It comes after the end of the run.');
    isEnded = event.type === 'run.finished' || (isEnded && afterEnd.has(event.type));
  }
  return violationsOf(run, findings);
}

/** Events with which a run that has ended continues. */
const continuing: ReadonlySet<Event['type']> = new Set(['run.resumed', 'run.forked']);
/** Events that may follow the end of a run without continuing it. */
const afterEnd: ReadonlySet<Event['type']> = new Set(['run.budgeted', 'step.late']);

function checkFold({ run, plan, state, journal }: AuditedRun): Violation[] {
  let folded: State;
  try {
    folded = fold(plan, journal);
  } catch (error) {
    // Folding never fails on decided events, so the journal has a foreign event, or one is missing.
    return violationsOf(run, [{ code: 'JOURNAL_BROKEN', subject: 'fold', message: String(error) }]);
  }
  const differing = [
    ...differences(new Map(folded.records), new Map(state.records)),
    // An empty list is not stored.
    ...differences(withoutEmpty(folded.lists), withoutEmpty(state.lists)),
  ];
  return violationsOf(
    run,
    differing.map(({ key, ours, theirs }) => ({
      code: 'FOLD_DIFFERS',
      subject: key,
      message: `The journal comes to ${ours}, stored is ${theirs}.`,
    })),
  );
}

/** Returns the fold of a journal. */
export function fold(plan: Plan, journal: readonly JournalEntry[]): State {
  const state = new State();
  for (const { at, event } of journal) {
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
  }
  return state;
}

const withoutEmpty = (lists: ReadonlyMap<string, readonly unknown[]>): ReadonlyMap<string, unknown> =>
  new Map([...lists].filter(([, entries]) => entries.length > 0));

interface Difference {
  readonly key: string;
  readonly ours: string;
  readonly theirs: string;
}

function differences(ours: ReadonlyMap<string, unknown>, theirs: ReadonlyMap<string, unknown>): Difference[] {
  const keys = new Set([...ours.keys(), ...theirs.keys()]);
  return [...keys].flatMap((key) => {
    const pair = [asStored(ours.get(key)), asStored(theirs.get(key))] as const;
    if (isDeepStrictEqual(...pair)) return [];
    return [{ key, ours: JSON.stringify(pair[0]) ?? 'nothing', theirs: JSON.stringify(pair[1]) ?? 'nothing' }];
  });
}

/** Converts a value to what JSON keeps of it in any store: without fields that are undefined. */
const asStored = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** Checks that each activation is settled at most once, and exactly once in a completed run. */
function checkSettled({ run, journal, state }: AuditedRun): Violation[] {
  const findings: Finding[] = [];
  const settled = countSettled(journal);
  for (const [activation, times] of settled) {
    if (times > 1)
      findings.push({ code: 'SETTLED_TWICE', subject: activation, message: `It was settled ${times} times.` });
  }
  if (state.get('run')?.status === 'completed') {
    for (const [activation, times] of settled) {
      if (times === 0)
        findings.push({ code: 'LOST', subject: activation, message: 'The run was completed without it.' });
    }
  }
  return violationsOf(run, findings);
}

/**
 * Returns the number of settlements of each activation in a journal. A failure no longer counts once the run continues
 * without it.
 */
export function countSettled(journal: readonly JournalEntry[]): ReadonlyMap<ActivationId, number> {
  const times = new Map<ActivationId, number>();
  const failed: ActivationId[] = [];
  const add = (activation: ActivationId, by: number) => times.set(activation, (times.get(activation) ?? 0) + by);
  for (const { event } of journal) {
    if (event.type === 'activation.ready') add(event.activation, 0);
    if (isSettlingEvent(event)) add(event.activation, 1);
    if (event.type === 'activation.failed') failed.push(event.activation);
    if (event.type === 'run.resumed' || event.type === 'run.forked')
      for (const activation of failed.splice(0)) add(activation, -1);
  }
  return times;
}

const settlingTypes = ['activation.completed', 'activation.opened', 'activation.failed', 'activation.dropped'] as const;
type SettlingEvent = Extract<Event, { type: (typeof settlingTypes)[number] }>;

const isSettlingEvent = (event: Event): event is SettlingEvent => settlingTypes.some((type) => type === event.type);

/**
 * Checks that the counts of live activations are right, and that the agenda has exactly the entries that it must have.
 */
function checkLiveness({ run, state, agenda }: AuditedRun): Violation[] {
  const record = state.get('run');
  if (record === undefined) return [];
  const live = [...activationsOf(state)].filter(([, { failed }]) => failed !== true);
  const findings: Finding[] = [];
  const counted = (subject: 'live' | 'waiting', actual: number) => {
    if (record[subject] === actual) return;
    findings.push({ code: 'COUNT_DIFFERS', subject, message: `The run says ${record[subject]}, there are ${actual}.` });
  };
  counted('live', live.length);
  counted('waiting', live.filter(([, activation]) => isBlocked(activation)).length);
  const { missing, needless } = agendaErrors({ run, state, agenda });
  const differs = (due: AgendaItem, message: string) =>
    findings.push({ code: 'AGENDA_DIFFERS', subject: agendaItemId(due), message });
  for (const due of missing) differs(due, 'Its entry on the agenda is missing.');
  for (const due of needless) differs(due, 'It is looked after for nothing.');
  const halting = record.status === 'stopping' || record.status === 'failing';
  const goesOn = halting
    ? live.some(([, activation]) => isExecuting(activation) || canStart(record, activation))
    : live.length > 0;
  if ((record.status === 'running' || halting) && !goesOn) {
    findings.push({ code: 'LOST', subject: 'run', message: 'The run has not ended, but has no live activation.' });
  }
  return violationsOf(run, findings);
}

/** Returns the differences between the agenda of a run and the entries that it must have. */
export function agendaErrors({ run, state, agenda }: Pick<AuditedRun, 'run' | 'state' | 'agenda'>): AgendaErrors {
  const expected = expectedDues(run, state);
  const expectedIds = new Set(expected.map(agendaItemId));
  const found = new Set(agenda.map(agendaItemId));
  return {
    missing: expected.filter((due) => !found.has(agendaItemId(due))),
    needless: agenda.filter((due) => !expectedIds.has(agendaItemId(due))),
  };
}

/** Errors of an agenda. */
export interface AgendaErrors {
  readonly missing: readonly AgendaItem[];
  readonly needless: readonly AgendaItem[];
}

/** Returns the entries that the agenda must have: activations that can continue, and alarms that are not paused. */
export function expectedDues(run: RunId, state: StateView): readonly AgendaItem[] {
  const record = runOf(state);
  if (hasEnded(record)) return [];
  const wakes = [...activationsOf(state)].flatMap(([activation, live]): AgendaItem[] => {
    const goesOn =
      isExecuting(live) || (canStart(record, live) && live.failed !== true && !live.held && !isBlocked(live));
    return goesOn ? [wakeOf(state, { run, activation }, live)] : [];
  });
  const alarms = [...alarmsOf(state)].filter(([alarm]) => record.pausedAt === undefined || !pausesWithRun(alarm));
  return [...wakes, ...alarms.map(([alarm, { token }]): AgendaItem => ({ run, alarm, token }))];
}
