import type { RunPlace, TenantRuntime } from '@millrace/runtime';
import type { PublishedWorkflowLine } from '../schemas/workflow.ts';

/** Maximum number of runs of a workflow that are counted. */
const mostRuns = 10_000;
const pageSize = 1000;

/** Numbers of the runs of a version. */
interface VersionRuns {
  readonly runs: number;
  readonly lastRunAt?: number;
}

/** Returns workflows with the numbers of their runs and the newest ones. */
export async function withRuns(tenant: Pick<TenantRuntime, 'runsOf'>, workflows: readonly PublishedWorkflowLine[]) {
  const runs = await tenant.runsOf(workflows.map(({ name }) => name));
  return workflows.map((workflow, at) => {
    const { count = 0, newest } = runs[at] ?? {};
    return { ...workflow, runs: count, ...(newest === undefined ? {} : { lastRun: lastRunOf(newest) }) };
  });
}

const lastRunOf = ({ run, startedAt }: RunPlace) => ({ runId: run, startedAt });

/** Counts the newest runs of a workflow by their versions. Returns the numbers of a version. */
export async function runsByVersion(
  tenant: Pick<TenantRuntime, 'list'>,
  workflow: string,
): Promise<(hash: string) => VersionRuns> {
  const known = new Map<string, VersionRuns>();
  let after: RunPlace | undefined;
  for (let looked = 0; looked < mostRuns; looked += pageSize) {
    const from = after === undefined ? {} : { after };
    const { runs, next } = await tenant.list({ workflow, limit: pageSize, ...from });
    for (const { version, startedAt } of runs) {
      if (version === undefined) continue;
      const { runs: before = 0, lastRunAt = startedAt } = known.get(version) ?? {};
      known.set(version, { runs: before + 1, lastRunAt });
    }
    if (next === undefined) break;
    after = next;
  }
  return (hash) => known.get(hash) ?? { runs: 0 };
}
