import { operation } from '../operation/operation.ts';
import { alertsOf } from './alerts.ts';
import { healthOf } from './health.ts';
import { Finding, InstallationState } from './installation-state.ts';
import { workersOf } from './workers.ts';

/** Number of the newest failed runs by which it is seen that failures are up. */
const mostFailures = 200;

/** Number of refused jobs that are counted. */
const mostRefused = 200;

export const readOperations = operation({
  name: 'operations.read',
  method: 'GET',
  path: '/v1/operations',
  cli: 'operations',
  scope: 'operator',
  summary: 'The state of the installation: queues, agenda, workers, Redis, and what needs attention',
  output: InstallationState,
  async run({ installation, tenant, intake, promptly, server, now }) {
    const refusedJobs = (await promptly(intake.refused(0, mostRefused))).length;
    const { admin } = installation;
    const base = { now: now(), version: server.version, refusedJobs };
    const [{ runs: failed }, shares] = await promptly(
      Promise.all([tenant.list({ status: 'failed', limit: mostFailures }), installation.stored()]),
    );
    const facts = {
      now: base.now,
      failures: failed.map(({ finishedAt, startedAt }) => finishedAt ?? startedAt),
      stored: shares.map((share) => ({ ...share, limit: installation.storedBytes })),
    };
    if (admin === undefined) {
      const workers = await server.workers();
      return {
        body: {
          ...base,
          workers,
          workerVersions: {},
          queues: [],
          redis: null,
          agenda: null,
          endedRuns: null,
          health: healthOf({ ...facts, workers, queues: [] }),
          alerts: [],
        },
      };
    }
    const [gauges, queues, findings, workers] = await promptly(
      Promise.all([admin.gauges(), admin.queueAdmin.statuses(), admin.diagnoseRedis(), workersOf(admin)]),
    );
    const versions = new Map(workers.map(({ name, version = 'unknown' }) => [name, version]));
    const workerVersions: Record<string, number> = {};
    for (const version of versions.values()) workerVersions[version] = (workerVersions[version] ?? 0) + 1;
    const state = {
      ...base,
      workers: versions.size,
      workerVersions,
      queues: [...queues],
      redis: { ...gauges.memory, findings: findings.map((finding) => Finding.parse(finding)) },
      agenda: { entries: gauges.agenda, lagMs: gauges.lagMs },
      endedRuns: { ...gauges.ended },
    };
    const { queues: open, workers: connected } = state;
    const health = healthOf({ ...facts, workers: connected, queues: open });
    return { body: { ...state, health, alerts: alertsOf(state) } };
  },
});
