import { useQuery } from '@tanstack/react-query';
import { millrace } from './millrace.ts';

const everyMs = 15_000;

/** Loads the caller of this browser, and the state of the server. */
export const useCaller = () =>
  useQuery({ queryKey: ['me'], queryFn: ({ signal }) => millrace.me({ signal }), refetchInterval: everyMs });
