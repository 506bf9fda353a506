import { skipToken, useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';

const everyMs = 1_000;

/** Loads how far an order to many runs has come, until it is finished. */
export const useOrder = (id: string | undefined) =>
  useQuery({
    queryKey: ['bulk', id],
    queryFn: id === undefined ? skipToken : () => millrace.bulk.get(id),
    refetchInterval: ({ state }) => (state.data?.status === 'finished' ? false : everyMs),
  });
