import type { BudgetRecord, Origin, RunRecord } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import type { TenantEvents } from '../live/tenant-events.ts';
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
    if (event.type === 'activation.suspended' && event.wait.kind !== 'event') {
      const { activation } = event;
      tenantEvents.publish(tenant, `task/${run}.${activation}`, () => ({
        type: 'task',
        change: 'opened',
        run,
        activation,
      }));
    }
    if (event.type === 'activation.answered' || event.type === 'activation.renewed') {
      const { activation } = event;
      tenantEvents.publish(tenant, `task/${run}.${activation}`, () => ({
        type: 'task',
        change: 'closed',
        run,
        activation,
      }));
    }
    if (withdraws.has(event.type)) {
      tenantEvents.publish(tenant, `task/${run}`, () => ({ type: 'task', change: 'closed', run }));
    }
  }
}

/** Events after which no question of the run can be answered. */
const withdraws: ReadonlySet<string> = new Set(['run.stopping', 'run.failing', 'run.finished']);
