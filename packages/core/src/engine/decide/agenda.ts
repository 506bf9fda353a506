import type { ActivationId, AgendaItem, AlarmId, RunId, Wake } from '../../model/ids.ts';
import { evolve } from '../evolve/evolve.ts';
import type { Fold } from '../evolve/fold.ts';
import type { Event } from '../records/event.ts';
import type { ActivationRecord } from '../records/records.ts';
import { canStart, hasEnded, isExecuting } from '../state/live.ts';
import { activationsOf, alarmsOf, pausesWithRun, runOf } from '../state/lookup.ts';
import type { ScheduledItem } from './decision.ts';
import { wakeOf } from './wake.ts';

/** What events do to the agenda. */
export interface AgendaChange {
  /** Activations to wake, in order. */
  readonly wakes: Wake[];
  readonly later: ScheduledItem[];
  readonly settled: AgendaItem[];
}

interface AgendaTarget {
  readonly run: RunId;
  readonly agenda: AgendaChange;
}

/**
 * Folds an event and notes what it does to the agenda: what it wakes, sets for later, and makes needless. While a run
 * is held up only what is at work is looked after, and once it has ended nothing is.
 */
export function evolveWithAgenda(fold: Fold, event: Event, watching: AgendaTarget): void {
  if (event.type.startsWith('activation.') && 'activation' in event) noteActivation(fold, event, watching);
  else if ('alarm' in event) noteAlarm(fold, event, watching);
  evolve(fold, event);
  if (event.type === 'run.resumed' || event.type === 'run.forked') wakeAll(fold, event.token, watching);
  else if (holdsUp.has(event.type)) park(fold, watching);
}

type OfActivation = Extract<Event, { readonly activation: ActivationId }>;
const routeOf = (token: string, queue: ActivationRecord['queue']): Pick<ActivationRecord, 'token' | 'queue'> =>
  queue === undefined ? { token } : { token, queue };

type OfAlarm = Extract<Event, { readonly alarm: AlarmId }>;

function noteActivation(fold: Fold, event: OfActivation, { run, agenda }: AgendaTarget): void {
  const { activation } = event;
  if (event.type === 'activation.started') return;
  if (
    event.type === 'activation.ready' ||
    event.type === 'activation.answered' ||
    event.type === 'activation.renewed' ||
    event.type === 'activation.admitted' ||
    event.type === 'activation.funded'
  ) {
    const held = 'held' in event && event.held;
    const record = event.type === 'activation.ready' ? event : fold.draft.get(`activation/${activation}`);
    if (record !== undefined && canStart(runOf(fold.draft), record) && !held)
      agenda.wakes.push(wakeOf(fold.draft, { run, activation }, routeOf(event.token, record.queue)));
    return;
  }
  const before = fold.draft.get(`activation/${activation}`);
  if (before === undefined) return;
  agenda.settled.push(wakeOf(fold.draft, { run, activation }, before));
  if (event.type === 'activation.postponed' && canStart(runOf(fold.draft), before))
    agenda.later.push({
      due: wakeOf(fold.draft, { run, activation }, routeOf(event.token, before.queue)),
      at: event.until,
    });
}

function noteAlarm({ draft }: Fold, event: OfAlarm, { run, agenda }: AgendaTarget): void {
  const { alarm } = event;
  const before = draft.get(alarm)?.token;
  const token = event.type === 'alarm.set' ? event.token : undefined;
  if (before !== undefined && before !== token) agenda.settled.push({ run, alarm, token: before });
  if (event.type === 'alarm.set') agenda.later.push({ due: { run, alarm, token: event.token }, at: event.dueAt });
}

/** Events after which only what is at work goes on, if anything does. */
const holdsUp: ReadonlySet<Event['type']> = new Set([
  'run.paused',
  'run.stopping',
  'run.failing',
  'activation.failed',
  'run.finished',
]);

function park({ draft }: Fold, { run, agenda }: AgendaTarget): void {
  const record = runOf(draft);
  const ended = hasEnded(record);
  for (const [activation, activationRecord] of activationsOf(draft))
    if (ended || !(isExecuting(activationRecord) || canStart(record, activationRecord)))
      agenda.settled.push(wakeOf(draft, { run, activation }, activationRecord));
  if (!ended && record.status !== 'paused') return;
  for (const [alarm, { token }] of alarmsOf(draft))
    if (ended || pausesWithRun(alarm)) agenda.settled.push({ run, alarm, token });
}

function wakeAll({ draft }: Fold, token: string, { run, agenda }: AgendaTarget): void {
  for (const [activation, record] of activationsOf(draft))
    if (record.token === token) agenda.wakes.push(wakeOf(draft, { run, activation }, record));
  for (const [alarm, record] of alarmsOf(draft))
    if (record.token === token) agenda.later.push({ due: { run, alarm, token }, at: record.dueAt });
}
