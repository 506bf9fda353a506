import type {
  PublishedVersion,
  PublishedWorkflowLine,
  PublishedWorkflowText,
  Validation,
  VersionText as WorkflowText,
} from '@millrace/api';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** What a change of a workflow expects to find: this version, or no workflow of the name. */
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
  /** No new runs of it are started; those that there are go on. */
  archive(name: string, expected?: WorkflowPrecondition): Promise<PublishedWorkflowLine>;
  /** What is wrong with a text, or may be; nothing is stored or started. */
  validate(
    yaml: string,
    options?: { readonly vars?: Readonly<Record<string, unknown>>; readonly compat?: 'chatdev' },
  ): Promise<Validation>;
}

/** The workflows of a tenant. */
export function createWorkflowsResource(http: Http): WorkflowsResource {
  const at = (name: string): string => `v1/workflows/${encodeURIComponent(name)}`;
  return {
    publish: (name, yaml, expected) =>
      http.json(at(name), { method: 'PUT', json: { yaml }, headers: headersOf(expected) }),
    get: (name) => http.json(at(name)),
    list: () => pagesOf((cursor) => http.json<Page<PublishedWorkflowLine>>('v1/workflows', { query: { cursor } })),
    versions: (name) =>
      pagesOf((cursor) => http.json<Page<Omit<WorkflowText, 'yaml'>>>(`${at(name)}/versions`, { query: { cursor } })),
    version: (name, hash) => http.json(`${at(name)}/versions/${encodeURIComponent(hash)}`),
    archive: (name, expected) => http.json(at(name), { method: 'DELETE', headers: headersOf(expected) }),
    validate: (yaml, options) =>
      http.json('v1/workflows/validate', { method: 'POST', json: { yaml, ...options }, send: 'freely' }),
  };
}

const headersOf = ({ ifHash, ifAbsent }: WorkflowPrecondition = {}): Record<string, string | undefined> => ({
  'if-match': ifHash === undefined ? undefined : `"${ifHash}"`,
  'if-none-match': ifAbsent ? '*' : undefined,
});
