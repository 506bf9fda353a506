import type { Issue } from '@millrace/core';
import { workflowName } from '@millrace/core';
import type { PublishedWorkflow } from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit, pageOf } from './page.ts';

const WorkflowName = z
  .string()
  .regex(workflowName, 'may hold letters, digits, ., _ and -, up to 100 of them, a letter or digit first')
  .describe('Letters, digits, ., _ and -.');

/** The hash of a version. */
const Hash = z.string().regex(/^[0-9a-f]{32}$/, 'must be the hash of a version');

/** Text of a workflow file. */
export const Yaml = z.string().describe('The text of a workflow file.');

/** Reference of a new run to a published workflow: its current version, or a certain one. */
export const WorkflowReference = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(@[0-9a-f]{32})?$/, 'must be NAME or NAME@HASH')
  .describe('A published workflow: NAME, or NAME@HASH for a certain version.');

/** Routes below one published workflow. */
export const WorkflowPath = z.object({ name: WorkflowName });

/** One version in a path. */
export const VersionPath = z.object({ name: WorkflowName, hash: Hash });

/** Precondition of a change of a workflow. */
export const Precondition = z.object({
  'if-match': z
    .string()
    .regex(/^(\*|(W\/)?"[0-9a-f]{32}")$/, 'must be the ETag of the workflow, or *')
    .optional()
    .describe('Only if this version is current; *: only if the name exists.'),
  'if-none-match': z.literal('*').optional().describe('Only if the name does not exist.'),
});

/** A version of a workflow, without its text. */
const Version = z
  .object({
    hash: Hash.describe('The first half of the SHA-256 of its text.'),
    createdAt: z.number().describe('Time of its first publication; milliseconds since 1970.'),
    by: z.string().describe('Name of the caller that published it last.'),
    note: z.string().optional().describe('Note of its last publication that had one.'),
  })
  .meta({ id: 'WorkflowVersion' });

/** Published workflow in a list. */
export const PublishedWorkflowLine = Version.extend({
  name: WorkflowName,
  publishedAt: z.number().describe('Time from which the name refers to this version; milliseconds since 1970.'),
  archivedAt: z.number().optional().describe('Milliseconds since 1970; absent while runs may be started.'),
}).meta({ id: 'PublishedWorkflowLine' });
const count = z.int();

/** Numbers of a workflow over the last seven days. */
export const WorkflowWeek = z
  .object({
    runs: count.describe('Runs that ended: replays and forks among them, temporary ones not.'),
    completed: count,
    failed: count,
    cancelled: count,
    terminated: count,
    microUsd: count.describe('Cost of the calls, in millionths of a US dollar; what replays and forks repeat is free.'),
    unpriced: count.describe('Calls whose cost is not known, and not in the cost.'),
    p50Ms: count.optional().describe('Median duration of completed runs, replays not among them; absent without any.'),
    p95Ms: count.optional().describe('Duration that 95% of them did not exceed. Both are right within an eighth.'),
  })
  .meta({ id: 'WorkflowWeek' });
/** WorkflowWeek as responses have it. */
export type WorkflowWeek = z.output<typeof WorkflowWeek>;

/** Published workflow with its runs. */
const WorkflowWithRuns = PublishedWorkflowLine.extend({
  week: WorkflowWeek.describe('Its numbers of the last seven days.'),
  runs: z.int().describe('Number of its runs that are stored, of all versions.'),
  lastRun: z
    .object({ runId: z.string(), startedAt: z.number().describe('Milliseconds since 1970.') })
    .optional()
    .describe('The run of it that started last; absent when there is none.'),
}).meta({ id: 'WorkflowWithRuns' });
/** PublishedWorkflowLine as responses have it. */
export type PublishedWorkflowLine = z.output<typeof PublishedWorkflowLine>;

/** A published workflow and the text of its current version. */
export const PublishedWorkflowText = PublishedWorkflowLine.extend({ yaml: Yaml }).meta({ id: 'PublishedWorkflow' });
/** PublishedWorkflowText as responses have it. */
export type PublishedWorkflowText = z.output<typeof PublishedWorkflowText>;

/** One version and its text. */
export const VersionText = Version.extend({ yaml: Yaml }).meta({ id: 'WorkflowText' });
/** VersionText as responses have it. */
export type VersionText = z.output<typeof VersionText>;

/** A version in a list, with its runs. */
const VersionWithRuns = Version.extend({
  runs: z.int().describe('Number of its runs among the newest 10,000 runs of the workflow.'),
  lastRunAt: z.number().optional().describe('Start of the newest of them; milliseconds since 1970.'),
}).meta({ id: 'WorkflowVersionWithRuns' });

/** A page of versions. */
export const VersionList = pageOf(VersionWithRuns);

/** Query for a page of versions. */
export const VersionListQuery = z.object({
  limit: PageLimit,
  cursor: z
    .string()
    .regex(/^\d{15}\.[0-9a-f]{32}$/, 'must be a nextCursor')
    .optional()
    .describe('nextCursor of the previous page.'),
});

/** A page of workflows. */
export const WorkflowList = pageOf(WorkflowWithRuns);

/** Query for a page of workflows. */
export const WorkflowListQuery = z.object({ limit: PageLimit, cursor: WorkflowName.optional() });

/** Error or warning about a workflow. */
export const Diagnostic = z
  .object({
    severity: z.enum(['error', 'warning']),
    code: z.string().describe('One of the error codes; each has a page in the documentation.'),
    path: z.string().describe('Place in the document, as in graph.nodes[2].config.provider.'),
    line: z.number().int().describe('From 1.'),
    column: z.number().int().describe('From 1.'),
    message: z.string(),
    hint: z.string().optional(),
  })
  .meta({ id: 'Diagnostic' });

/** The workflow that a run was started with. */
export const RunWorkflow = z
  .object({
    name: z.string().describe('Name under which it is published, or else the id of its graph.'),
    hash: Hash.nullable().describe(
      'The first half of the SHA-256 of its text; null for a run that was started without it.',
    ),
    yaml: Yaml.nullable().describe('The text of the workflow file; null for a run that was started without it.'),
    vars: z
      .record(z.string(), z.unknown())
      .describe('Values that the run was started with; references such as `${API_KEY}` in place of secrets.'),
    lines: z
      .record(z.string(), z.int())
      .describe('Lines of the nodes, from 1: by `<node>`, or `<graph>/<node>` in a subgraph of the same text.'),
    warnings: z
      .array(Diagnostic)
      .describe('Warnings about the text, by what is known now of its models and functions.'),
    current: PublishedWorkflowLine.pick({ hash: true, publishedAt: true })
      .nullable()
      .describe('Version that the name refers to now; null when nothing is published under it.'),
  })
  .meta({ id: 'RunWorkflow' });
/** RunWorkflow as responses have it. */
export type RunWorkflow = z.output<typeof RunWorkflow>;

/** Schema of the text to publish. */
export const PublishWorkflow = z
  .strictObject({
    yaml: Yaml,
    note: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .optional()
      .describe('Reason or summary, shown with the version; absent: the version keeps the note that it has.'),
  })
  .meta({ id: 'PublishWorkflow' });

/** Result of publishing. */
export const PublishedVersion = PublishedWorkflowLine.extend({
  warnings: z.array(Diagnostic).describe('Warnings about the text.'),
}).meta({ id: 'PublishedVersion' });
/** PublishedVersion as responses have it. */
export type PublishedVersion = z.output<typeof PublishedVersion>;

/** A problem as the API shows it. */
export const diagnosticOf = ({ file: _given, ...issue }: Issue): z.infer<typeof Diagnostic> => issue;

/** A workflow as lists show it. */
export const workflowLineOf = (workflow: PublishedWorkflow): z.infer<typeof PublishedWorkflowLine> => ({ ...workflow });
