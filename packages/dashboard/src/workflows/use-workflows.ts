import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';

/** Loads the published workflows by name, page by page. */
export const useWorkflows = () =>
  useInfiniteQuery({
    queryKey: ['workflows'],
    queryFn: ({ pageParam }) => millrace.workflows.list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** Loads the current version of a workflow with its text. */
export const useWorkflow = (name: string) =>
  useQuery({
    queryKey: ['workflows', name],
    queryFn: ({ signal }) => millrace.workflows.get(name, { signal }),
  });

/** Loads the versions of a workflow, newest first, page by page. */
export const useVersions = (name: string) =>
  useInfiniteQuery({
    queryKey: ['workflows', name, 'versions'],
    queryFn: ({ pageParam }) => millrace.workflows.versions(name).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** Loads one version with its text, which never changes. */
export const useVersion = (name: string, hash: string) =>
  useQuery({
    queryKey: ['workflow', name, hash, 'version'],
    queryFn: ({ signal }) => millrace.workflows.version(name, hash, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
