import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { millrace } from './millrace.ts';

/** The published workflows by name, page by page. */
export const workflowsQuery = infiniteQueryOptions({
  queryKey: ['workflows', 'list'],
  queryFn: ({ pageParam }) => millrace.workflows.list().page(pageParam),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
});

/** Workflows that can be chosen. */
const mostWorkflows = 200;

/** The published workflows, as far as a field offers them. */
export const offeredWorkflowsQuery = queryOptions({
  queryKey: ['workflows', 'offered'],
  queryFn: async () => {
    const { data: workflows, nextCursor } = await millrace.workflows.list({ limit: mostWorkflows }).page();
    return {
      workflows: workflows.filter(({ archivedAt }) => archivedAt === undefined),
      areAll: nextCursor === null,
    };
  },
});

/** The current version of a workflow with its text. */
export const workflowQuery = (name: string) =>
  queryOptions({
    queryKey: ['workflows', 'one', name],
    queryFn: ({ signal }) => millrace.workflows.get(name, { signal }),
  });

/** Interval after which an overview is loaded again, in milliseconds. */
const overviewMs = 15_000;

/** A workflow at a glance. */
export const overviewQuery = (name: string) =>
  queryOptions({
    queryKey: ['workflows', 'overview', name],
    queryFn: ({ signal }) => millrace.workflows.overview(name, { signal }),
    refetchInterval: overviewMs,
  });

/** The versions of a workflow, newest first, page by page. */
export const versionsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ['workflows', 'versions', name],
    queryFn: ({ pageParam }) => millrace.workflows.versions(name).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** One version with its text, which never changes. */
export const versionQuery = (name: string, hash: string) =>
  queryOptions({
    queryKey: ['workflows', 'version', name, hash],
    queryFn: ({ signal }) => millrace.workflows.version(name, hash, { signal }),
    staleTime: 'static',
  });
