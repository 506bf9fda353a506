import type { AlarmId } from '../../model/ids.ts';
import { advanceAll } from '../scopes/advance.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { pausesWithRun, runOf } from '../state/lookup.ts';
import { handleWaitAlarm } from '../termination/alarms.ts';
import { handleTerminationAlarm } from '../termination/step-terminations.ts';
import { handleApprovalAlarm } from './decide-call.ts';
import { fail } from './fail.ts';

/** Reports that an alarm is due. */
interface AlarmCommand {
  readonly type: 'alarm';
  readonly alarm: AlarmId;
  readonly token: string;
}

const runTimeout: AlarmId = 'alarm/timeout';

/** Sets the alarm for the time limit of the run, if there is one. */
export function setTimeoutAlarm({ draft, emit, at, nonce }: DecisionContext): void {
  const { timeoutMs } = runOf(draft);
  if (timeoutMs !== undefined) emit({ type: 'alarm.set', alarm: runTimeout, dueAt: at + timeoutMs, token: nonce });
}

/** Carries out an alarm that is due. An alarm that was cleared, or set again, has no effect. */
export function handleAlarm(context: DecisionContext, command: AlarmCommand): Refusal | undefined {
  const { draft, emit } = context;
  const { alarm, token } = command;
  const { status, timeoutMs } = runOf(draft);
  if (draft.get(alarm)?.token !== token || (status === 'paused' && pausesWithRun(alarm)))
    return refuse('ALARM_STALE', `The ${alarm} has been cleared or set again.`);
  emit({ type: 'alarm.cleared', alarm });
  if (alarm === runTimeout) {
    const message = `The run has taken longer than ${(timeoutMs ?? 0) / 1000} seconds.`;
    fail(context, { type: 'fail', error: { code: 'RUN_TIMEOUT', message } });
  } else if (
    !handleApprovalAlarm(context, alarm) &&
    !handleWaitAlarm(context, alarm) &&
    handleTerminationAlarm(context, alarm)
  )
    advanceAll(context);
  return undefined;
}
