import type { Key } from '@millrace/client';
import { DataTable } from '../kit/tables/data-table.tsx';
import { formatAge, formatDuration, formatMoment } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
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
          cell: (key) => key.revokedAt === undefined && <Revoke of={key} act={() => revoke(key)} />,
        },
      ]}
    />
  );
}

interface RevokeProps {
  readonly of: Key;
  readonly act: () => void;
}

/** Button that revokes a key; an expired one is refused already. */
function Revoke({ of: key, act }: RevokeProps) {
  const now = useServerNow();
  if (stateOf(key, now) === 'expired') return null;
  return (
    <button type="button" className="button danger" aria-label={`Revoke ${key.name ?? key.id}`} onClick={act}>
      Revoke
    </button>
  );
}

const yearMs = 365 * 24 * 60 * 60 * 1000;

function LastUse({ of: { usedAt, createdAt } }: { readonly of: Key }) {
  const now = useServerNow();
  if (usedAt !== undefined) return <Age at={usedAt} />;
  return now - createdAt < yearMs ? 'never' : 'not within a year';
}

const soonMs = 7 * 24 * 60 * 60 * 1000;

/** State of a key, and since or until when it is so. */
function State({ of: key }: { readonly of: Key }) {
  const now = useServerNow();
  const { revokedAt, expiresAt } = key;
  const state = stateOf(key, now);
  const moment = revokedAt ?? expiresAt;
  return (
    <>
      <Status of={state} />{' '}
      {moment !== undefined && (
        <small title={formatMoment(moment)}>
          {state === 'expiring'
            ? `in ${formatDuration(moment - now)}`
            : state === 'valid'
              ? `until ${formatMoment(moment)}`
              : formatAge(moment, now)}
        </small>
      )}
    </>
  );
}

function stateOf({ revokedAt, expiresAt }: Key, now: number) {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt === undefined || expiresAt > now + soonMs) return 'valid';
  return expiresAt <= now ? 'expired' : 'expiring';
}
