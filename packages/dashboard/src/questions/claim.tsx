import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useCaller } from '../api/use-caller.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import type { OperationCopy } from '../kit/commands/copy-of.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Problem } from '../kit/states/problem.tsx';
import { formatDuration } from '../kit/values/format.ts';
import { useServerNow } from '../kit/values/time.tsx';
import classes from './questions.module.css';
import type { AskedTask } from './use-tasks.ts';

const claimSeconds = 600;
/** Time left of a claim below which typing renews it, in milliseconds. */
const renewBelowMs = 5 * 60_000;

interface ClaimProps {
  readonly task: AskedTask;
  /** Text of the answer: whoever writes keeps the claim. */
  readonly text: string;
}

/** Claim of a question: its owner, its remaining time, and the buttons that take it, take it over and give it back. */
export function Claim({ task, text }: ClaimProps) {
  const { id, status } = task;
  const me = useCaller().data?.name;
  const current = useClaim(task);
  const [takesOver, takeOver] = useState(false);
  const { claim, release } = useClaiming(id);
  const { isMine = false, owner, leftMs = 0 } = current ?? {};
  const renew = useEffectEvent(() => {
    if (isMine && me !== undefined && leftMs < renewBelowMs && !claim.isPending) claim.mutate({ me });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing renews the claim
  useEffect(() => renew(), [text]);
  // The dialog shows what went wrong with its own request.
  const error = takesOver ? release.error : (claim.error ?? release.error);
  if (status === 'closed' || me === undefined) return null;
  return (
    <div className={classes['claim']}>
      {error !== null && <Problem error={error} />}
      {owner !== undefined && (
        <span className="muted">
          {isMine ? 'claimed by you' : `claimed by ${owner}`} · {formatDuration(leftMs)} left
        </span>
      )}
      {owner === undefined && (
        <button
          type="button"
          className="button"
          data-claim
          disabled={claim.isPending}
          onClick={() => claim.mutate({ me })}
        >
          Claim 10 min
        </button>
      )}
      {owner !== undefined && !isMine && (
        <button type="button" className="button" data-claim onClick={() => takeOver(true)}>
          Take over
        </button>
      )}
      {isMine && (
        <button type="button" className="button" disabled={release.isPending} onClick={() => release.mutate(me)}>
          Release
        </button>
      )}
      {takesOver && owner !== undefined && !isMine && (
        <ConfirmDialog
          title={`Take the question over from ${owner}?`}
          will={`The claim of ${owner} ends, and the question is yours for 10 minutes. What ${owner} has written so far is not sent.`}
          confirm="Take over"
          isPending={claim.isPending}
          error={claim.error}
          act={() => claim.mutate({ me, from: owner }, { onSuccess: () => takeOver(false) })}
          close={() => takeOver(false)}
          copied={copyOf('tasks.release', { id, assignee: owner })}
        />
      )}
    </div>
  );
}

/** Returns the claim of a question, or its release, for copying by the name of the action. */
export function useClaimCopy({ task }: Pick<ClaimProps, 'task'>): Readonly<Record<string, OperationCopy>> {
  const { id } = task;
  const me = useCaller().data?.name;
  const current = useClaim(task);
  if (me === undefined) return {};
  return current?.isMine === true
    ? { Release: copyOf('tasks.release', { id, assignee: me }) }
    : { Claim: copyOf('tasks.claim', { id, assignee: me, seconds: claimSeconds }) };
}

interface ClaimState {
  readonly me: string;
  /** Person whose claim ends first. */
  readonly from?: string;
}

/** The requests that change the claim of a question. */
function useClaiming(id: string) {
  const meta = { changes: ['tasks'] } as const;
  const claim = useMutation({
    async mutationFn({ me, from }: ClaimState) {
      if (from !== undefined) await millrace.tasks.release(id, from);
      return millrace.tasks.claim(id, { assignee: me, seconds: claimSeconds });
    },
    meta,
  });
  const release = useMutation({ mutationFn: (me: string) => millrace.tasks.release(id, me), meta });
  return { claim, release };
}

/** Claim of a question that has not expired. */
interface CurrentClaim {
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
