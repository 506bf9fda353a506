import type { Client, RequestOptions } from '../client.ts';
import type {
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflow as PublishedWorkflowText,
  Validation,
  WorkflowText,
} from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** State that a change of a workflow expects: this version, or no workflow of the name. */
export interface WorkflowPrecondition {
  readonly ifHash?: string;
  readonly ifAbsent?: true;
}

/** Workflows that are published under names. */
export interface WorkflowsResource {
  /** Publishes a text as the current version of a name. */
  publish(name: string, yaml: string, expected?: WorkflowPrecondition & RequestOptions): Promise<PublishedVersion>;
  get(name: string, options?: RequestOptions): Promise<PublishedWorkflowText>;
  list(options?: RequestOptions): Pages<PublishedWorkflowLine>;
  versions(name: string, options?: RequestOptions): Pages<Omit<WorkflowText, 'yaml'>>;
  version(name: string, hash: string, options?: RequestOptions): Promise<WorkflowText>;
  /** Ends the start of new runs; those that there are go on. */
  archive(name: string, expected?: WorkflowPrecondition & RequestOptions): Promise<PublishedWorkflowLine>;
  /** Returns what is wrong with a text, or may be; nothing is stored or started. */
  validate(
    yaml: string,
    options?: { readonly vars?: Readonly<Record<string, unknown>>; readonly compat?: 'chatdev' } & RequestOptions,
  ): Promise<Validation>;
}

/** Makes the methods of workflows. */
export const createWorkflowsResource = (client: Client): WorkflowsResource => ({
  publish: (name, yaml, { signal, ...expected } = {}) =>
    client.call('workflows.publish', { name, yaml, ...headersOf(expected) }, { signal }),
  get: (name, options) => client.call('workflows.get', { name }, options),
  list: (options) => pagesOf((cursor) => client.call('workflows.list', { cursor }, options)),
  versions: (name, options) => pagesOf((cursor) => client.call('workflows.versions', { name, cursor }, options)),
  version: (name, hash, options) => client.call('workflows.version', { name, hash }, options),
  archive: (name, { signal, ...expected } = {}) =>
    client.call('workflows.archive', { name, ...headersOf(expected) }, { signal }),
  validate: (yaml, { vars, compat, signal } = {}) =>
    client.call('workflows.validate', { yaml, vars: vars && { ...vars }, compat }, { repeatable: true, signal }),
});

const headersOf = ({ ifHash, ifAbsent }: WorkflowPrecondition) => ({
  'if-match': ifHash === undefined ? undefined : `"${ifHash}"`,
  'if-none-match': ifAbsent ? ('*' as const) : undefined,
});
