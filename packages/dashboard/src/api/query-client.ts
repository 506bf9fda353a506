import { QueryClient } from '@tanstack/react-query';

/** Time after which what could not be loaded is asked for again, in milliseconds. */
const afterErrorMs = 10_000;

/** Cache of responses. The client sends requests again by itself, so the cache never does. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 2_000,
      refetchOnWindowFocus: true,
      networkMode: 'always',
      // What has failed recovers by itself.
      refetchInterval: ({ state }) => (state.status === 'error' ? afterErrorMs : false),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
