import type { BudgetRecord, Event, Origin, RunRecord } from '@millrace/core';
import { tenantOf } from '@millrace/core';
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
      const { activation, place } = change;
      tenantEvents.publish(tenant, `task/${run}.${activation}${place === undefined ? '' : `.${place}`}`, () => ({
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
function taskChangeIn(event: Event): Omit<TaskChange, 'type' | 'run'> | undefined {
  switch (event.type) {
    case 'activation.suspended':
      if (event.wait.kind === 'event' || event.wait.kind === 'approval') return undefined;
      return { change: 'opened', activation: event.activation };
    case 'activation.answered':
    case 'activation.renewed':
      return { change: 'closed', activation: event.activation };
    case 'tool.asked':
      return { change: 'opened', activation: event.activation, place: event.place };
    case 'tool.decided':
      return { change: 'closed', activation: event.activation, place: event.place };
    default:
      return undefined;
  }
}

/** Events after which no question of the run can be answered. */
const withdraws: ReadonlySet<string> = new Set(['run.stopping', 'run.failing', 'run.finished']);
