import type { ActivationId, AgendaItem, AlarmId, RunId, Wake } from '../../model/ids.ts';
import { evolve } from '../evolve/evolve.ts';
import type { Event } from '../records/event.ts';
import type { ActivationRecord } from '../records/records.ts';
import type { Fold } from '../state/fold.ts';
import { canStart, hasEnded, isExecuting } from '../state/live.ts';
import { activationsOf, alarmsOf, pausesWithRun, runOf } from '../state/lookup.ts';
import type { ScheduledItem } from './decision.ts';
import { wakeOf } from './decision.ts';

/** Changes of the agenda that events cause. */
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
 * Folds an event and records the changes of the agenda that it causes: activations to wake, entries for later, and
 * entries that are settled. While a run is paused, stopping or failing, the agenda keeps only activations that are
 * executing; of a run that has ended it keeps nothing.
 */
export function evolveWithAgenda(fold: Fold, event: Event, target: AgendaTarget): void {
  if (event.type.startsWith('activation.') && 'activation' in event) noteActivation(fold, event, target);
  else if ('alarm' in event) noteAlarm(fold, event, target);
  evolve(fold, event);
  if (event.type === 'run.resumed' || event.type === 'run.forked') wakeAll(fold, event.token, target);
  else if (parkingEvents.has(event.type)) park(fold, target);
}

type ActivationEvent = Extract<Event, { readonly activation: ActivationId }>;
const routeOf = (token: string, queue: ActivationRecord['queue']): Pick<ActivationRecord, 'token' | 'queue'> =>
  queue === undefined ? { token } : { token, queue };

type AlarmEvent = Extract<Event, { readonly alarm: AlarmId }>;

function noteActivation(fold: Fold, event: ActivationEvent, { run, agenda }: AgendaTarget): void {
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

function noteAlarm({ draft }: Fold, event: AlarmEvent, { run, agenda }: AgendaTarget): void {
  const { alarm } = event;
  const before = draft.get(alarm)?.token;
  const token = event.type === 'alarm.set' ? event.token : undefined;
  if (before !== undefined && before !== token) agenda.settled.push({ run, alarm, token: before });
  if (event.type === 'alarm.set') agenda.later.push({ due: { run, alarm, token: event.token }, at: event.dueAt });
}

/** Events after which only activations that are executing continue. */
const parkingEvents: ReadonlySet<Event['type']> = new Set([
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
