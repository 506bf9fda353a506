import type { ReadLimits, RunLimits } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';
import { queuesIn } from '../options/arguments.ts';
import type { Config } from './settings.ts';
import type { VariableDescription } from './variable.ts';
import { namesIn, variable, wholeNumber } from './variable.ts';

const workflowLimitForm = /^(nodes|edges)=(\d{1,7})$/;

/** Environment variables of the execution of workflows. */
export const workerVariables = {
  MILLRACE_CONCURRENCY: variable(wholeNumber(1, 10_000).default(16), {
    description: 'Activations that a worker executes at a time, for each queue.',
    readBy: 'workers',
  }),
  MILLRACE_MAX_WORKER_DEATHS: variable(wholeNumber(1, 1000).default(3), {
    description:
      'Workers that may die while they execute an activation. Then its run fails with [WORKER_DIED](../errors/WORKER_DIED.md), instead of ending further workers.',
    readBy: 'workers',
  }),
  MILLRACE_QUEUES: variable(
    z
      .string()
      .transform((text, { addIssue }) => {
        const queues = queuesIn(text);
        if (queues === undefined) addIssue('must be names of queues with commas between, or * for all');
        return queues;
      })
      .optional(),
    {
      description: 'The [queues](../guide/fairness.md) that a worker serves.',
      format: 'names separated by commas, or `*` for all',
      otherwise: '`default`; for `up` and `run` `*`',
      readBy: 'workers',
    },
  ),
  MILLRACE_SANDBOX: variable(z.enum(['auto', 'bubblewrap', 'limits', 'none']).default('auto'), {
    description: 'Sandbox for programs of [python nodes](../guide/python-nodes.md#confinement).',
    readBy: 'workers',
  }),
  MILLRACE_SANDBOX_TMP_MB: variable(wholeNumber(1, 1_048_576).default(512), {
    description:
      'MiB that each program in bubblewrap can keep in `/tmp`, and again in `/dev/shm`, which are in the memory of the machine.',
    readBy: 'workers',
  }),
  MILLRACE_OUTBOUND_ALLOW: z.string().transform(namesIn).optional().meta({
    description:
      'Addresses that workflows and webhooks can reach in addition to public ones; see [Security](../guide/security.md). An empty value allows none.',
    format: 'names, addresses and networks, or `loopback`, separated by commas',
    otherwise: 'this machine, for runs of the tenant `default`',
    readBy: 'both',
  }),
  MILLRACE_MEMORY_FILES: z.string().transform(namesIn).optional().meta({
    description:
      'Folders of the machine whose files [memories](../guide/memory.md) can read, for runs of all tenants. An empty value allows none.',
    format: 'paths separated by commas',
    otherwise: 'all files for runs of the tenant `default`, none for others',
    readBy: 'workers',
  }),
  MILLRACE_MODELS: variable(z.string().optional(), {
    description:
      'File with facts about [models](../guide/models.md), which win over those that Millrace includes. Read when a process starts.',
    format: 'path of a YAML or JSON file',
    otherwise: 'the facts that Millrace includes',
    readBy: 'both',
  }),
  MILLRACE_PRICES: variable(z.string().optional(), {
    description: 'File with prices of models, see [Budgets](../guide/budgets.md). Workers read it when they start.',
    format: 'path of a YAML or JSON file',
    otherwise: 'the prices that Millrace includes',
    readBy: 'workers',
  }),
  MILLRACE_RATE_LIMITS: variable(z.string().optional(), {
    description: 'File with [rate limits](../guide/budgets.md#rate-limits) of models. Workers read it when they start.',
    format: 'path of a YAML or JSON file',
    otherwise: 'those of workflows and providers',
    readBy: 'workers',
  }),
  MILLRACE_TOOL_POLICY: variable(z.string().optional(), {
    description:
      'File with rules about [calls of tools](../guide/approvals.md#rules): allow, ask or deny. Workflows can only be stricter. Workers read it when they start.',
    format: 'path of a YAML or JSON file',
    otherwise: 'the policies of workflows alone',
    readBy: 'workers',
  }),
  MILLRACE_EXTENSIONS: variable(z.string().optional(), {
    description: 'Module with [functions of your own](../guide/extending.md), which is loaded when a process starts.',
    format: 'path of a JavaScript module',
    otherwise: 'none',
    readBy: 'both',
  }),
  MILLRACE_TOOLS: variable(z.string().optional(), {
    description:
      'File that [maps functions of ChatDev](../guide/chatdev-tools.md) to tools of MCP servers, which is read when a process starts.',
    format: 'path of a YAML or JSON file',
    otherwise: 'none',
    readBy: 'both',
  }),
  MILLRACE_FUNCTIONS_DIR: variable(z.string().optional(), {
    description: 'Folder with [functions in Python](../guide/extending.md#functions-in-python).',
    format: 'path of a directory',
    otherwise: 'none',
    readBy: 'both',
  }),
  MILLRACE_FUNCTIONS_ENV: z.string().default('').transform(namesIn).meta({
    description: 'Variables that functions in Python can read.',
    format: 'names separated by commas',
    otherwise: 'none',
    readBy: 'both',
  }),
  MILLRACE_WORKFLOW_LIMITS: variable(
    z
      .string()
      .transform(workflowLimitsIn)
      .refine((limits) => limits !== undefined, 'must be like nodes=5000,edges=20000')
      .optional(),
    {
      description: 'Maximum size of one workflow, including its subgraphs.',
      format: '`nodes=5000,edges=20000`, or one of them',
      otherwise: '`nodes=2000,edges=10000`',
      readBy: 'both',
    },
  ),
};

type Variables = z.output<z.ZodObject<typeof workerVariables>>;

/** Parses the settings of a worker of this process. */
export const workIn = ({
  MILLRACE_CONCURRENCY: concurrency,
  MILLRACE_QUEUES: queues,
  MILLRACE_SANDBOX: sandbox,
  MILLRACE_SANDBOX_TMP_MB: sandboxTmpMb,
  MILLRACE_OUTBOUND_ALLOW: outbound,
  MILLRACE_MEMORY_FILES: memoryFiles,
  MILLRACE_MAX_WORKER_DEATHS: maxDeaths,
  MILLRACE_MODELS: models,
  MILLRACE_PRICES: prices,
  MILLRACE_RATE_LIMITS: rateLimits,
  MILLRACE_TOOL_POLICY: toolPolicy,
  MILLRACE_EXTENSIONS: extensions,
  MILLRACE_TOOLS: tools,
  MILLRACE_FUNCTIONS_DIR: directory,
  MILLRACE_FUNCTIONS_ENV: variables,
  MILLRACE_WORKFLOW_LIMITS: workflowLimits,
}: Variables) =>
  omitUndefined({
    concurrency,
    queues,
    sandbox,
    sandboxTmpMb,
    outbound,
    memoryFiles,
    maxDeaths,
    models,
    prices,
    rateLimits,
    toolPolicy,
    extensions,
    tools,
    functions: directory === undefined ? undefined : { directory, variables },
    workflowLimits,
  }) satisfies Partial<Config>;

/** Parses limits of workflows, as in `nodes=5000,edges=20000`; undefined if the text has another form. */
function workflowLimitsIn(text: string): Partial<ReadLimits> | undefined {
  const limits: { nodes?: number; edges?: number } = {};
  for (const entry of text.split(',')) {
    const [, name, count] = workflowLimitForm.exec(entry.trim()) ?? [];
    if (name !== 'nodes' && name !== 'edges') return undefined;
    limits[name] = Number(count);
  }
  return limits;
}

/** A limit from 1 to `most`. */
const limit = (most: number, about: Pick<VariableDescription, 'description' | 'otherwise'>) =>
  variable(wholeNumber(1, most).optional(), { ...about, readBy: 'both' });

/** Environment variables of the limits of the size of a run. */
export const runLimitVariables = {
  MILLRACE_MAX_FAN_OUT_ITEMS: limit(10_000_000, {
    description: 'Maximum number of items of one fan-out; with more it [fails](../errors/FAN_OUT_TOO_LARGE.md).',
    otherwise: '`250000`',
  }),
  MILLRACE_MAX_WAITING_MESSAGES: limit(10_000_000, {
    description:
      'Maximum number of messages that wait at one node of a run; with more the run [fails](../errors/INBOX_TOO_LARGE.md).',
    otherwise: '`250000`',
  }),
  // A larger commit exceeds the maximum length of a JavaScript string, and the buffer of a Redis.
  MILLRACE_MAX_COMMIT_MB: limit(400, {
    description:
      'Maximum size of one step of a run that is [written at once](../errors/COMMIT_TOO_LARGE.md), in millions of characters.',
    otherwise: '`256`',
  }),
  MILLRACE_MAX_STORED_MB: limit(1_000_000_000, {
    description:
      'Maximum size of what each tenant [has stored](../guide/files.md#room-of-a-tenant), in MiB; the same for all servers and workers.',
    otherwise: '`10240`',
  }),
};

/** Parses the limits that are set. */
export function runLimitsIn(variables: z.output<z.ZodObject<typeof runLimitVariables>>): {
  readonly limits: Partial<RunLimits>;
} {
  const { MILLRACE_MAX_FAN_OUT_ITEMS: fanOutItems, MILLRACE_MAX_WAITING_MESSAGES: waitingMessages } = variables;
  const megabytes = variables.MILLRACE_MAX_COMMIT_MB;
  const stored = variables.MILLRACE_MAX_STORED_MB;
  return {
    limits: {
      ...omitUndefined({ fanOutItems, waitingMessages }),
      ...(megabytes === undefined ? {} : { commitCharacters: megabytes * 1024 * 1024 }),
      ...(stored === undefined ? {} : { storedBytes: stored * 1024 * 1024 }),
    },
  };
}
