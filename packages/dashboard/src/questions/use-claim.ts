import { useCaller } from '../api/use-caller.ts';
import { useServerNow } from '../kit/values/time.tsx';
import type { AskedTask } from './use-tasks.ts';

/** Claim of a question that has not expired. */
export interface CurrentClaim {
  readonly owner: string;
  /** It belongs to the caller of this browser. */
  readonly isMine: boolean;
  readonly leftMs: number;
}

/** Returns the claim of a question; undefined without one, and after it has expired. */
export function useClaim({
  assignee,
  claimedUntil = 0,
}: Pick<AskedTask, 'assignee' | 'claimedUntil'>): CurrentClaim | undefined {
  const me = useCaller().data?.name;
  const leftMs = claimedUntil - useServerNow();
  return assignee === undefined || leftMs <= 0 ? undefined : { owner: assignee, isMine: assignee === me, leftMs };
}
