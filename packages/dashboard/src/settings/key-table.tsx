import type { Key } from '@millrace/client';
import { DataTable } from '../kit/layout/data-table.tsx';
import { formatMoment } from '../kit/values/format.ts';
import { Age } from '../kit/values/time.tsx';
import { useServerNow } from '../kit/values/use-now.ts';
import { scopeWords } from './scope-words.ts';

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly revoke: (key: Key) => void;
  /** Loads more keys; absent: all are shown. */
  readonly more: (() => void) | undefined;
}

/** API keys with their scopes and the time of their last use. */
export function KeyTable({ keys, revoke, more }: KeyTableProps) {
  return (
    <DataTable
      label="Keys"
      rows={keys}
      idOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ id, name }) => (
            <>
              {name ?? 'without a name'}
              <br />
              <code>{id}</code>
            </>
          ),
        },
        { title: 'May', cell: ({ scopes }) => scopes.map((scope) => scopeWords[scope].short).join(', ') },
        { title: 'Made', cell: ({ createdAt }) => <Age at={createdAt} /> },
        { title: 'Last used', cell: (key) => <LastUse of={key} /> },
        { title: 'State', cell: (key) => <State of={key} /> },
        {
          title: 'Action',
          cell: (key) =>
            key.revokedAt === undefined && (
              <button type="button" className="button danger" onClick={() => revoke(key)}>
                Revoke {key.name ?? key.id}
              </button>
            ),
        },
      ]}
    />
  );
}

const yearMs = 365 * 24 * 60 * 60 * 1000;

function LastUse({ of: { usedAt, createdAt } }: { readonly of: Key }) {
  const now = useServerNow();
  if (usedAt !== undefined) return <Age at={usedAt} />;
  return now - createdAt < yearMs ? 'never' : 'not within a year';
}

function State({ of: { revokedAt, expiresAt } }: { readonly of: Key }) {
  const now = useServerNow();
  if (revokedAt !== undefined) return `revoked ${formatMoment(revokedAt)}`;
  if (expiresAt === undefined) return 'valid';
  return `${expiresAt <= now ? 'expired' : 'valid until'} ${formatMoment(expiresAt)}`;
}
