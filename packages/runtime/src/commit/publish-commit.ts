import type { BudgetRecord, Event, EventOf, Origin, QuestionPlace, RunRecord } from '@millrace/core';
import { omitUndefined, questionId, questionOf, tenantOf } from '@millrace/core';
import type { TaskChange, TenantEvents } from '../live/tenant-events.ts';
import { summaryOf } from '../ports/store/run-summary.ts';
import type { AppliedCommit } from '../telemetry/instrumentation.ts';

/**
 * Publishes what a commit changes in lists of runs and questions, which do not show temporary runs. Costs nothing while
 * no client watches the tenant.
 */
export function publishCommit(tenantEvents: TenantEvents, { run, events, state }: AppliedCommit): void {
  const origin = state.get('origin') as Origin | undefined;
  if (origin?.expiresAt !== undefined) return;
  const tenant = tenantOf(run);
  tenantEvents.publish(tenant, `run/${run}`, () => ({
    type: 'run',
    run: summaryOf(run, {
      record: state.get('run') as RunRecord, // a run that was committed to has one
      origin,
      budget: state.get('budget') as BudgetRecord | undefined,
    }),
  }));
  for (const event of events) {
    const change = taskChangeIn(event);
    if (change !== undefined) {
      tenantEvents.publish(tenant, `task/${questionId(run, change)}`, () => ({
        type: 'task',
        run,
        ...change,
      }));
    }
    if (withdraws.has(event.type)) {
      tenantEvents.publish(tenant, `task/${run}`, () => ({ type: 'task', change: 'closed', run }));
    }
  }
}

/** Returns the question that an event opens or closes. */
function taskChangeIn(event: Event): (QuestionPlace & Pick<TaskChange, 'change'>) | undefined {
  switch (event.type) {
    case 'activation.suspended':
      if (event.wait.kind === 'event' || event.wait.kind === 'approval') return undefined;
      return { change: 'opened', ...questionOf(event) };
    case 'activation.answered':
    case 'activation.renewed':
      return { change: 'closed', ...questionOf(event) };
    case 'tool.asked':
      return { change: 'opened', ...placeOf(event) };
    case 'tool.decided':
      return { change: 'closed', ...placeOf(event) };
    default:
      return undefined;
  }
}

const placeOf = ({ activation, place, question }: EventOf<'tool.asked' | 'tool.decided'>): QuestionPlace => ({
  activation,
  place,
  ...omitUndefined({ question }),
});

/** Events after which no question of the run can be answered. */
const withdraws: ReadonlySet<string> = new Set(['run.stopping', 'run.failing', 'run.finished']);
