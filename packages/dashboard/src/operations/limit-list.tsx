import type { Limit } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ConfirmDialog } from '../kit/controls/confirm-dialog.tsx';
import { Done } from '../kit/states/done.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { formatCount } from '../kit/values/format.ts';
import { LimitForm } from './limit-form.tsx';
import classes from './operations.module.css';
import { useLimits } from './use-installation.ts';

/** Limits of the activations of tenants and workflows that are queued or executing at a time. */
export function LimitList() {
  const { data, error, refetch } = useLimits();
  const [edited, edit] = useState<Limit>();
  const [lifted, ask] = useState<Limit>();
  const [done, say] = useState<string>();
  const client = useQueryClient();
  const lift = useMutation({
    mutationFn: (limit: Limit) => millrace.limits.lift(limit),
    onSuccess: (_had, limit) => {
      ask(undefined);
      say(`The limit of ${nameOf(limit)} is removed.`);
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['operations', 'limits'] }),
  });
  return (
    <>
      <p className={classes['note']}>
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
                <span className={classes['buttons']}>
                  <button type="button" className="button" onClick={() => edit(limit)}>
                    Change
                  </button>
                  <button type="button" className="button danger" onClick={() => ask(limit)}>
                    Remove
                  </button>
                </span>
              ),
            },
          ]}
        />
      )}
      {lifted !== undefined && (
        <ConfirmDialog
          title={`Remove the limit of ${nameOf(lifted)}?`}
          will="Its activations then have an even share of the workers, however many there are."
          confirm="Remove it"
          isDanger
          isPending={lift.isPending}
          error={lift.error}
          act={() => lift.mutate(lifted)}
          close={() => ask(undefined)}
          copied={copiedLift(lifted)}
        />
      )}
    </>
  );
}

const copiedLift = ({ tenant, workflow }: Limit) =>
  workflow === undefined
    ? copyOf('limits.liftTenant', { tenant })
    : copyOf('limits.liftWorkflow', { tenant, workflow });

const nameOf = ({ tenant, workflow }: Omit<Limit, 'activations'>): string =>
  workflow === undefined ? `tenant ${tenant}` : `workflow ${workflow} of tenant ${tenant}`;
