import type { Activation } from '@millrace/client';
import { useQueries } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';

const blockSize = 200;
/** Blocks of activations whose calls are shown at a time; rows of more blocks are drawn without them. */
const mostBlocks = 4;

/** Loads the activations around the visible rows, for their calls, their attempts and the times of their questions. */
export function useCalls(run: string, ids: readonly string[]): ReadonlyMap<string, Activation> {
  const blocks = [...new Set(ids.map((id) => Math.floor((Number(id.slice(1)) - 1) / blockSize)))].slice(0, mostBlocks);
  const found = useQueries({
    queries: blocks.map((block) => ({
      queryKey: ['run', run, 'calls', block],
      queryFn: () =>
        millrace.runs
          .get(run)
          .activations({ outputs: 'heads' })
          .page(`a${block * blockSize}`),
      staleTime: 5_000,
    })),
  });
  return new Map(found.flatMap(({ data }) => data?.data ?? []).map((activation) => [activation.id, activation]));
}
