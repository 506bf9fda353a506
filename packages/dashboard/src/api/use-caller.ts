import type { Me } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from './millrace.ts';
import { noteServerTime } from './server-clock.ts';

const everyMs = 15_000;

/** Loads the caller of this browser, and the state of the server. */
export const useCaller = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }): Promise<Me> => {
      const me = await millrace.me({ signal });
      noteServerTime(me.server.now);
      return me;
    },
    refetchInterval: everyMs,
  });
