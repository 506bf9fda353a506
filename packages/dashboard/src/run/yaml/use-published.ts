import { ApiProblem } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';

/** A published text. */
export interface PublishedText {
  readonly hash: string;
  readonly yaml: string;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}

/** Loads the workflow that a name stands for now; null when nothing is published under it. */
export function usePublished(name: string | undefined) {
  return useQuery({
    queryKey: ['workflow', name],
    enabled: name !== undefined,
    staleTime: 60_000,
    queryFn: async (): Promise<PublishedText | null> => {
      try {
        return await millrace.workflows.get(name ?? '');
      } catch (error) {
        if (error instanceof ApiProblem && [400, 404].includes(error.status)) return null;
        throw error;
      }
    },
  });
}
