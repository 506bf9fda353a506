import type { Key } from '@millrace/client';
import table from '../kit/layout/table.module.css';
import { useTargetRow } from '../kit/layout/use-target-row.ts';
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
  const row = useTargetRow({ rows: keys.length, more });
  return (
    <table className={table['table']} aria-label="Keys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">May</th>
          <th scope="col">Made</th>
          <th scope="col">Last used</th>
          <th scope="col">State</th>
          <th scope="col">Action</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id} {...row(key.id)}>
            <th scope="row">
              {key.name ?? 'without a name'}
              <br />
              <code>{key.id}</code>
            </th>
            <td>{key.scopes.map((scope) => scopeWords[scope].short).join(', ')}</td>
            <td>
              <Age at={key.createdAt} />
            </td>
            <td>
              <LastUse of={key} />
            </td>
            <td>
              <State of={key} />
            </td>
            <td>
              {key.revokedAt === undefined && (
                <button type="button" className="button danger" onClick={() => revoke(key)}>
                  Revoke {key.name ?? key.id}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
