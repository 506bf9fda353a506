import { tenantOf, withoutTenant } from '@millrace/core';
import type { ActiveWork, InstallationAdmin } from '@millrace/runtime';
import type { z } from 'zod';
import type { WorkerState } from './queue.ts';

/** Returns the connected workers with what they have reported. */
export async function workersOf(admin: InstallationAdmin): Promise<readonly z.input<typeof WorkerState>[]> {
  const workers = await admin.queueAdmin.workers();
  const reports = await admin.workerReports([...new Set(workers.map(({ name }) => name))]);
  return workers.map((worker) => {
    const report = reports.get(worker.name);
    if (report === undefined) return worker;
    const { version, node, concurrency, active, work } = report;
    return { ...worker, version, node, concurrency, active, work: work.map(workOf) };
  });
}

const workOf = ({ run, ...work }: ActiveWork) => ({ ...work, tenant: tenantOf(run), run: withoutTenant(run) });
