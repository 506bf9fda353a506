import type { MetricDefinition } from '@millrace/runtime';
import { bucketSeconds, installationMetrics, processMetrics, sharedLabels } from '@millrace/runtime';
import { cell, pageOf } from './schema-tables.ts';

const introduction = `# Metrics

Every metric that Millrace serves for Prometheus, from the definitions that the processes use.
[Observability](../guide/observability.md#metrics) describes how to collect them, and
[Production](../guide/production.md) has alert rules and a dashboard.

No label contains a run, a tenant or a workflow. Labels of several metrics are:
`;

const buckets = `The buckets of histograms end at ${bucketSeconds.join(', ')} seconds.
`;

const ofProcess = `## Work of a process

Each process counts its own work, from its start: add the processes up, as in
\`sum(rate(millrace_runs_ended_total[5m])) by (status)\`. \`GET /metrics\` of the API and \`--metrics-port\` serve them.
`;

const ofInstallation = `## State of the installation

\`GET /metrics\` of the API, and \`--metrics-port\` of a server, serve these as well. Redis stores the numbers anyway, so reading them needs no search, and they are read
at most once a second. Every server returns the same: do not add them up.
`;

const ofNode = `## Metrics of Node.js

Every process also serves the default metrics of [prom-client](https://github.com/siimon/prom-client#default-metrics), such as
\`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`, \`nodejs_heap_size_used_bytes\` and \`nodejs_eventloop_lag_p99_seconds\`.
`;

/** Returns the reference of metrics. */
export const metricPage = (): string =>
  pageOf([
    introduction,
    '| Label | Meaning |',
    '|---|---|',
    ...Object.entries(sharedLabels).map(([name, meaning]) => `| \`${name}\` | ${cell(meaning)} |`),
    '',
    buckets,
    ofProcess,
    ...Object.values(processMetrics).flatMap(metricLines),
    ofInstallation,
    ...Object.values(installationMetrics).flatMap(metricLines),
    ofNode,
  ]);

const metricLines = ({ name, type, labels, help }: MetricDefinition): readonly string[] => [
  `### \`${name}\``,
  '',
  help,
  '',
  `- Type: ${type}`,
  `- Labels: ${labelsOf(labels) || 'none'}`,
  '',
];

const labelsOf = (labels: MetricDefinition['labels']): string =>
  Object.entries(labels)
    .map(([name, meaning]) => (name in sharedLabels ? `\`${name}\`` : `\`${name}\` (${meaning})`))
    .join(', ');
