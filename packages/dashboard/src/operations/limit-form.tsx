import type { Limit } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Problem } from '../kit/states/problem.tsx';
import classes from './operations.module.css';

interface LimitFormProps {
  /** The limit that is changed; absent: a new one. */
  readonly edited: Limit | undefined;
  readonly saved: (limit: Limit) => void;
}

/** Sets the limit of a tenant, or of one of its workflows. */
export function LimitForm({ edited, saved }: LimitFormProps) {
  const [tenant, setTenant] = useState(edited?.tenant ?? '');
  const [workflow, setWorkflow] = useState(edited?.workflow ?? '');
  const [activations, setActivations] = useState(edited === undefined ? '' : String(edited.activations));
  const wanted = { tenant, activations: Number(activations), ...(workflow === '' ? {} : { workflow }) };
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (limit: Limit) => millrace.limits.set(limit),
    onSuccess: saved,
    onSettled: () => void client.invalidateQueries({ queryKey: ['operations', 'limits'] }),
  });
  return (
    <>
      <form
        className={classes['form']}
        aria-label="Limit"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(wanted);
        }}
      >
        <label>
          Tenant
          <input
            required
            pattern="[a-z0-9\-]{1,32}"
            title="Small letters, digits and hyphens"
            value={tenant}
            onChange={({ target }) => setTenant(target.value)}
          />
        </label>
        <label>
          Workflow (empty: all together)
          <input maxLength={200} value={workflow} onChange={({ target }) => setWorkflow(target.value)} />
        </label>
        <label>
          Activations at a time
          <input
            required
            type="number"
            min={1}
            max={1_000_000}
            value={activations}
            onChange={({ target }) => setActivations(target.value)}
          />
        </label>
        <button type="submit" className="button primary" disabled={isPending}>
          {edited === undefined ? 'Set the limit' : 'Change the limit'}
        </button>
        <CopyAs of={copiedLimit(wanted)} />
      </form>
      {error !== null && <Problem error={error} />}
    </>
  );
}

const copiedLimit = ({ workflow, ...limit }: Limit) =>
  workflow === undefined ? copyOf('limits.setTenant', limit) : copyOf('limits.setWorkflow', { workflow, ...limit });
