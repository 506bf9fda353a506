import { QueryClient } from '@tanstack/react-query';

/** Interval after which a failed query is loaded again, in milliseconds. */
const afterErrorMs = 10_000;

/** Cache of responses. The client repeats failed requests, so the cache does not. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 2_000,
      refetchOnWindowFocus: true,
      networkMode: 'always',
      // Failed queries recover by themselves.
      refetchInterval: ({ state }) => (state.status === 'error' ? afterErrorMs : false),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
