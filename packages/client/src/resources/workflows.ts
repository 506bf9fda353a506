import type { Client, PageOptions, RequestOptions } from '../client.ts';
import type {
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflow as PublishedWorkflowText,
  Validation,
  WorkflowOverview,
  WorkflowText,
  WorkflowVersionWithRuns,
  WorkflowWithRuns,
} from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Precondition of a change: this version is current, or no workflow has the name. */
export interface WorkflowPrecondition {
  readonly ifHash?: string;
  readonly ifAbsent?: true;
}

/** Options of publishing: a note, which lists show with the version, and the expected state. */
export interface PublishOptions extends WorkflowPrecondition, RequestOptions {
  readonly note?: string | undefined;
}

/** Published workflows. */
export interface WorkflowsResource {
  /** Publishes a text as the current version of a name. */
  publish(name: string, yaml: string, options?: PublishOptions): Promise<PublishedVersion>;
  get(name: string, options?: RequestOptions): Promise<PublishedWorkflowText>;
  /** Returns its purpose, its runs of seven days and its last failures. */
  overview(name: string, options?: RequestOptions): Promise<WorkflowOverview>;
  list(options?: PageOptions): Pages<WorkflowWithRuns>;
  versions(name: string, options?: PageOptions): Pages<WorkflowVersionWithRuns>;
  version(name: string, hash: string, options?: RequestOptions): Promise<WorkflowText>;
  /** Prevents new runs of a workflow; existing runs continue. */
  archive(name: string, expected?: WorkflowPrecondition & RequestOptions): Promise<PublishedWorkflowLine>;
  /** Returns the errors and warnings about a text; stores and starts nothing. */
  validate(yaml: string, options?: ValidateOptions): Promise<Validation>;
  /** Returns the JSON Schema of workflow files. */
  schema(options?: RequestOptions): Promise<Readonly<Record<string, unknown>>>;
}

/** Options of a validation. */
export interface ValidateOptions extends RequestOptions {
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly compat?: 'chatdev';
  /** Also returns the graphs of a valid text. */
  readonly graph?: boolean;
}

/** Returns the methods of workflows. */
export const createWorkflowsResource = (client: Client): WorkflowsResource => ({
  publish: (name, yaml, { signal, note, ...expected } = {}) =>
    client.call('workflows.publish', { name, yaml, note, ...headersOf(expected) }, { signal }),
  get: (name, options) => client.call('workflows.get', { name }, options),
  overview: (name, options) => client.call('workflows.overview', { name }, options),
  list: ({ limit, ...options } = {}) => pagesOf((cursor) => client.call('workflows.list', { cursor, limit }, options)),
  versions: (name, { limit, ...options } = {}) =>
    pagesOf((cursor) => client.call('workflows.versions', { name, cursor, limit }, options)),
  version: (name, hash, options) => client.call('workflows.version', { name, hash }, options),
  archive: (name, { signal, ...expected } = {}) =>
    client.call('workflows.archive', { name, ...headersOf(expected) }, { signal }),
  validate: (yaml, { vars, compat, graph, signal } = {}) =>
    client.call(
      'workflows.validate',
      { yaml, vars: vars && { ...vars }, compat, graph: graph ? 'true' : undefined },
      { repeatable: true, signal },
    ),
  schema: (options) => client.call('schemas.workflow', {}, options),
});

const headersOf = ({ ifHash, ifAbsent }: WorkflowPrecondition) => ({
  'if-match': ifHash === undefined ? undefined : `"${ifHash}"`,
  'if-none-match': ifAbsent ? ('*' as const) : undefined,
});
