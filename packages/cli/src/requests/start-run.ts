import type { Workflow } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { LocalSession, Session } from '../client/session.ts';
import { isLocal, promptly } from '../client/session.ts';
import { issueText } from '../output/issue-report.ts';
import { attachFiles } from './attachments.ts';
import type { WorkflowSource } from './workflow-source.ts';

/** Limits of the spending of a run, as people write them. */
export interface RunBudget {
  readonly usd?: number;
  readonly tokens?: number;
}

/** Run that is started. */
export interface NewRun {
  /** The workflow as it was read here, with the files around it; absent where only the API can read it. */
  readonly workflow: Workflow | undefined;
  readonly source: WorkflowSource;
  readonly input: string;
  /** Files that go with the task: paths, or ids of uploaded ones. */
  readonly attach: readonly string[];
  readonly tags?: readonly string[];
  /** Time that it may take, in milliseconds. */
  readonly timeout?: number;
  /** Time after which it is removed, in milliseconds; absent: it is not temporary. */
  readonly ttl?: number;
  readonly budget?: RunBudget;
  readonly priority?: number;
  /** Stores what models are asked; absent: as the workflow says. */
  readonly recordRequests?: boolean;
}

/** Starts a run and returns its id. On the machine itself the workflow is started as it was read here. */
export async function startRun(session: Session, run: NewRun): Promise<string> {
  const ids = await attachFiles(session.millrace, run.attach);
  if (isLocal(session)) return promptly(session, () => startHere(session, run, ids));
  const { source, workflow, attach: _files, tags = [], ...options } = run;
  const { id, workflowWarnings } = await session.millrace.runs.start(
    source.type === 'published' ? source.reference : { yaml: source.yaml },
    {
      ...options,
      tags: [...tags],
      attachments: ids,
      vars: { ...source.variables },
      ...omitUndefined({ compat: source.compat }),
    },
  );
  // A workflow that was read here was reported then.
  const file = workflow === undefined && source.type === 'published' ? source.reference : undefined;
  if (file !== undefined)
    for (const warning of workflowWarnings) session.cli.terminal.say(issueText({ ...omitUndefined(warning), file }));
  return id;
}

async function startHere(
  { machine: { runtime } }: LocalSession,
  { workflow, source, input, tags, timeout, ttl, budget, priority, recordRequests }: NewRun,
  attachments: readonly string[],
): Promise<string> {
  const { budgetFromDollars, defaultTenant, messageWithAttachments, withoutSecrets } = await import('@millrace/core');
  const { createTenantRuntime } = await import('@millrace/runtime');
  if (workflow === undefined) throw new Error('a workflow that is started here was read here');
  const { files, workflows } = createTenantRuntime(runtime, defaultTenant);
  // An archived workflow is refused.
  const { yaml } = source.type === 'published' ? await workflows.resolve(source.reference) : source;
  const task =
    attachments.length === 0 ? input : [messageWithAttachments(input, await files.attachments(attachments), 'TASK')];
  return runtime.runs.start({
    workflow,
    definition: { yaml, vars: withoutSecrets(source.variables, source.secretVariables ?? []) },
    input: task,
    ...(source.type === 'published' ? { name: source.reference.split('@', 1)[0] ?? '' } : {}),
    ...omitUndefined({ tags, timeoutMs: timeout, ttlMs: ttl }),
    ...(budget === undefined ? {} : { budget: budgetFromDollars(budget) }),
    ...omitUndefined({ priority, recordRequests }),
  });
}
