import type { Client } from '../client.ts';
import type {
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflow as PublishedWorkflowText,
  Validation,
  WorkflowText,
} from '../generated/types.ts';
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
  publish(name: string, yaml: string, expected?: WorkflowPrecondition): Promise<PublishedVersion>;
  get(name: string): Promise<PublishedWorkflowText>;
  list(): Pages<PublishedWorkflowLine>;
  versions(name: string): Pages<Omit<WorkflowText, 'yaml'>>;
  version(name: string, hash: string): Promise<WorkflowText>;
  /** Ends the start of new runs; those that there are go on. */
  archive(name: string, expected?: WorkflowPrecondition): Promise<PublishedWorkflowLine>;
  /** Returns what is wrong with a text, or may be; nothing is stored or started. */
  validate(
    yaml: string,
    options?: { readonly vars?: Readonly<Record<string, unknown>>; readonly compat?: 'chatdev' },
  ): Promise<Validation>;
}

/** Makes the methods of workflows. */
export const createWorkflowsResource = (client: Client): WorkflowsResource => ({
  publish: (name, yaml, expected) => client.call('workflows.publish', { name, yaml, ...headersOf(expected) }),
  get: (name) => client.call('workflows.get', { name }),
  list: () => pagesOf((cursor) => client.call('workflows.list', { cursor })),
  versions: (name) => pagesOf((cursor) => client.call('workflows.versions', { name, cursor })),
  version: (name, hash) => client.call('workflows.version', { name, hash }),
  archive: (name, expected) => client.call('workflows.archive', { name, ...headersOf(expected) }),
  validate: (yaml, { vars, compat } = {}) =>
    client.call('workflows.validate', { yaml, vars: vars && { ...vars }, compat }, { repeatable: true }),
});

const headersOf = ({ ifHash, ifAbsent }: WorkflowPrecondition = {}) => ({
  'if-match': ifHash === undefined ? undefined : `"${ifHash}"`,
  'if-none-match': ifAbsent ? ('*' as const) : undefined,
});
