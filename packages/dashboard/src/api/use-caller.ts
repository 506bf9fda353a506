import { useQuery } from '@tanstack/react-query';
import { millrace } from './millrace.ts';
import { keepCsrf } from './transport.ts';

const everyMs = 15_000;

/** Loads the caller that the server takes this browser for, and the state of the server. */
export function useCaller() {
  return useQuery({
    queryKey: ['me'],
    async queryFn({ signal }) {
      const me = await millrace.me({ signal });
      keepCsrf(me.csrf);
      return me;
    },
    refetchInterval: everyMs,
  });
}
