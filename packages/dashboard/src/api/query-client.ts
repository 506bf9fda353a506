import { MutationCache, QueryClient } from '@tanstack/react-query';
import { isRefused } from './transport.ts';

/** Kinds of data: the first parts of the keys of all queries. */
export type Kind =
  | 'me'
  | 'runs'
  | 'run'
  | 'tasks'
  | 'workflows'
  | 'check'
  | 'content'
  | 'batches'
  | 'table'
  | 'bulk'
  | 'schedules'
  | 'webhooks'
  | 'keys'
  | 'usage'
  | 'operations'
  | 'palette';

declare module '@tanstack/react-query' {
  interface Register {
    queryKey: readonly [Kind, ...unknown[]];
    /** Queries of a run are loaded again after its events, unless they say that they do not follow it or are static. */
    queryMeta: { readonly followsRun?: false };
    /** Kinds of data that a mutation changes: their queries are loaded again when it has settled. */
    mutationMeta: { readonly changes?: readonly Kind[] };
  }
}

/** Intervals after which a failed query is loaded again, and one that was refused, in milliseconds. */
const afterErrorMs = 10_000;
const afterRefusalMs = 15_000;

/** Cache of responses. The client repeats failed requests, so the cache does not. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 2_000,
      refetchOnWindowFocus: true,
      networkMode: 'always',
      // Failed queries recover by themselves.
      refetchInterval: ({ state: { status, error } }) =>
        status !== 'error' ? false : isRefused(error) ? afterRefusalMs : afterErrorMs,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    // biome-ignore lint/complexity/useMaxParams: the library passes the mutation as the fifth
    onSettled: (_data, _error, _variables, _result, { meta }) => {
      for (const kind of meta?.changes ?? []) void queryClient.invalidateQueries({ queryKey: [kind] });
    },
  }),
});
