import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { millrace } from '../api/millrace.ts';
import { serverNow } from '../api/server-clock.ts';
import { useCaller } from '../api/use-caller.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Problem } from '../kit/states/problem.tsx';
import { formatDuration } from '../kit/values/format.ts';
import { useServerNow } from '../kit/values/use-now.ts';
import classes from './inbox.module.css';
import type { AskedTask } from './use-tasks.ts';

const claimSeconds = 600;
/** Time left of a claim below which typing renews it, in milliseconds. */
const renewBelowMs = 5 * 60_000;

interface ClaimProps {
  readonly task: AskedTask;
  /** Text of the answer: whoever writes keeps the claim. */
  readonly text: string;
}

/** Claim of a question: its owner, its remaining time, and the buttons that take it and give it back. */
export function Claim({ task: { id, assignee, claimedUntil = 0, status }, text }: ClaimProps) {
  const me = useCaller().data?.name;
  const now = useServerNow();
  const queries = useQueryClient();
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: ['tasks'] });
    void queries.invalidateQueries({ queryKey: ['task', id] });
  };
  const claim = useMutation({
    mutationFn: (name: string) => millrace.tasks.claim(id, { assignee: name, seconds: claimSeconds }),
    onSettled,
  });
  const release = useMutation({ mutationFn: (name: string) => millrace.tasks.release(id, name), onSettled });
  const isMine = assignee !== undefined && assignee === me;
  const renew = useEffectEvent(() => {
    if (isMine && claimedUntil - serverNow() < renewBelowMs && !claim.isPending) claim.mutate(assignee);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing renews the claim
  useEffect(() => renew(), [text]);
  const error = claim.error ?? release.error;
  const left = formatDuration(Math.max(0, claimedUntil - now));
  if (status === 'closed' || me === undefined) return null;
  return (
    <div className={classes['claim']}>
      {error !== null && <Problem error={error} />}
      {assignee !== undefined && (
        <span>
          {isMine ? 'claimed by you' : `claimed by ${assignee}`} · {left} left
        </span>
      )}
      {assignee === undefined && (
        <button type="button" className="button" data-claim disabled={claim.isPending} onClick={() => claim.mutate(me)}>
          Claim 10 min
        </button>
      )}
      <span className={classes['copied']}>
        {isMine ? (
          <CopyAs of={copyOf('tasks.release', { id, assignee: me })} action="release" />
        ) : (
          <CopyAs of={copyOf('tasks.claim', { id, assignee: me, seconds: claimSeconds })} action="claim" />
        )}
      </span>
      {isMine && (
        <button type="button" className="button" disabled={release.isPending} onClick={() => release.mutate(me)}>
          Release
        </button>
      )}
    </div>
  );
}
