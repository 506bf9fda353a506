import type { Run } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Problem } from '../../kit/states/problem.tsx';
import classes from './money.module.css';

interface RaiseBudgetProps {
  readonly run: Run;
  readonly budget: NonNullable<Run['budget']>;
}

const resumable: ReadonlySet<Run['status']> = new Set(['paused', 'terminated', 'failed']);

/** Resumes a run with a larger budget. The new limit includes the amount that the run has already spent. */
export function RaiseBudget({ run, budget: { limit } }: RaiseBudgetProps) {
  const isMoney = limit.microUsd !== undefined;
  const present = isMoney ? (limit.microUsd ?? 0) / 1_000_000 : (limit.tokens ?? 0);
  const budgetOf = (amount: number) => (isMoney ? { usd: amount } : { tokens: Math.round(amount) });
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (amount: number) => millrace.runs.get(run.runId).resume({ budget: budgetOf(amount) }),
    onSuccess: (changed) => {
      queries.setQueryData(['run', run.runId], changed);
      setText('');
    },
  });
  const amount = Number(text);
  const isLarger = text.trim() !== '' && amount > present;
  if (run.status === 'completed' || run.status === 'cancelled') return null;
  if (!resumable.has(run.status)) return <p className={classes['hint']}>To raise the budget, pause the run.</p>;
  return (
    <form
      className={classes['raise']}
      onSubmit={(event) => {
        event.preventDefault();
        if (isLarger) mutate(amount);
      }}
    >
      <label>
        New limit {isMoney ? 'in US dollars' : 'in tokens'}, now {present}
        <input type="number" min={present} step="any" value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <button type="submit" className="button" disabled={!isLarger || isPending}>
        Raise budget and resume
      </button>
      {isLarger && <CopyAs of={copyOf('runs.resume', { id: run.runId, budget: budgetOf(amount) })} />}
      {error !== null && <Problem error={error} retry={reset} />}
    </form>
  );
}
