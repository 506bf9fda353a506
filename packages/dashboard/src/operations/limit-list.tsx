import type { Limit } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Done } from '../kit/states/notes.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { formatBytes, formatCount } from '../kit/values/format.ts';
import classes from './operations.module.css';
import { useLimits, useStored } from './use-installation.ts';

/** Limits of the activations of tenants and workflows that are queued or executing at a time. */
export function LimitList() {
  const { data, error, refetch } = useLimits();
  const [edited, edit] = useState<Limit>();
  const [done, say] = useState<ReactNode>();
  return (
    <>
      <p className="muted spaced">
        A limit is the number of activations that may be queued or executing at a time. Others wait outside of the
        queues. Without a limit, tenants share the workers evenly.
      </p>
      <Done>{done}</Done>
      <LimitForm
        key={edited === undefined ? '' : nameOf(edited)}
        edited={edited}
        saved={(limit) => {
          edit(undefined);
          say(`${nameOf(limit)}: ${formatCount(limit.activations)} activations at a time.`);
        }}
      />
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} />}
      {data?.length === 0 && <Empty title="There are no limits." />}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label="Limits"
          rows={data}
          idOf={nameOf}
          columns={[
            { title: 'Tenant', cell: ({ tenant }) => tenant },
            { title: 'Workflow', cell: ({ workflow }) => workflow ?? 'all together' },
            { title: 'Activations at a time', cell: ({ activations }) => formatCount(activations) },
            {
              title: 'Actions',
              cell: (limit) => (
                <span className={`${classes['buttons']} row`}>
                  <button type="button" className="button" onClick={() => edit(limit)}>
                    Change
                  </button>
                  <ResourceActions changes="operations" done={say} actions={[removalOf(limit)]} />
                </span>
              ),
            },
          ]}
        />
      )}
      <StorageList />
    </>
  );
}

/** What tenants have stored, and may store. */
function StorageList() {
  const { data, error, refetch } = useStored();
  return (
    <section className="spaced">
      <h2>Storage</h2>
      <p className="muted spaced">Uploaded files, files and long messages of runs, and tables of batches.</p>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={1} />}
      {data?.length === 0 && <Empty title="Nothing is stored." />}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label="Storage"
          rows={data}
          idOf={({ tenant }) => tenant}
          columns={[
            { title: 'Tenant', cell: ({ tenant }) => tenant },
            { title: 'Stored', cell: ({ bytes }) => formatBytes(bytes) },
            { title: 'Maximum', cell: ({ limit }) => formatBytes(limit) },
            {
              title: 'Used',
              cell: ({ bytes, limit, tenant }) => (
                <meter
                  min={0}
                  max={limit}
                  high={limit * 0.8}
                  value={bytes}
                  aria-label={`Storage of tenant ${tenant}`}
                />
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

const removalOf = (limit: Limit): ResourceAction => ({
  id: 'remove',
  danger: 'always',
  button: 'Remove',
  asks: `Remove the limit of ${nameOf(limit)}?`,
  will: 'Its activations then have an even share of the workers, however many there are.',
  confirm: 'Remove it',
  copied:
    limit.workflow === undefined
      ? copyOf('limits.liftTenant', { tenant: limit.tenant })
      : copyOf('limits.liftWorkflow', { tenant: limit.tenant, workflow: limit.workflow }),
  act: async () => {
    await millrace.limits.lift(limit);
    return `The limit of ${nameOf(limit)} is removed.`;
  },
});

const nameOf = ({ tenant, workflow }: Omit<Limit, 'activations'>): string =>
  workflow === undefined ? `tenant ${tenant}` : `workflow ${workflow} of tenant ${tenant}`;

interface LimitFormProps {
  /** The limit that is changed; absent: a new one. */
  readonly edited: Limit | undefined;
  readonly saved: (limit: Limit) => void;
}

/** Sets the limit of a tenant, or of one of its workflows. */
function LimitForm({ edited, saved }: LimitFormProps) {
  const [tenant, setTenant] = useState(edited?.tenant ?? '');
  const [workflow, setWorkflow] = useState(edited?.workflow ?? '');
  const [activations, setActivations] = useState(edited === undefined ? '' : String(edited.activations));
  const wanted = { tenant, activations: Number(activations), ...(workflow === '' ? {} : { workflow }) };
  const { mutate, isPending, error } = useMutation({
    mutationFn: (limit: Limit) => millrace.limits.set(limit),
    onSuccess: saved,
    meta: { changes: ['operations'] },
  });
  return (
    <>
      <form
        className={`${classes['form']} row wrap`}
        aria-label="Limit"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(wanted);
        }}
      >
        <label className="field">
          Tenant
          <input
            required
            pattern="[a-z0-9\-]{1,32}"
            title="Small letters, digits and hyphens"
            value={tenant}
            onChange={({ target }) => setTenant(target.value)}
          />
        </label>
        <label className="field">
          Workflow, or all
          <input maxLength={200} value={workflow} onChange={({ target }) => setWorkflow(target.value)} />
        </label>
        <label className="field">
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
