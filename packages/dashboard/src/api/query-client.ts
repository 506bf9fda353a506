import { QueryClient } from '@tanstack/react-query';

/** Cache of responses. The client sends requests again by itself, so the cache never does. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 2_000, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
