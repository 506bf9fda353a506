import type { Key, MadeKey } from '@millrace/client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { signIn } from '../api/session.ts';
import { untilSignedIn } from '../api/transport.ts';
import { useCaller } from '../api/use-caller.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ActionButton, ResourceActions } from '../kit/commands/resource-actions.tsx';
import { Dialog } from '../kit/controls/dialog.tsx';
import form from '../kit/controls/form.module.css';
import { Toolbar } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Done } from '../kit/states/notes.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { formatAge, formatDuration, formatMoment } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { Age, useServerNow } from '../kit/values/time.tsx';
import classes from './settings.module.css';

/** The API keys of the tenant: made, shown once, revoked. */
export function KeyList() {
  const client = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [made, show] = useState<NewKey>();
  const [done, say] = useState<ReactNode>();
  const keys = useInfiniteQuery({
    queryKey: ['keys'],
    queryFn: ({ pageParam }) => millrace.keys.list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const found = keys.data?.pages.flatMap(({ data }) => data).sort(usableFirst);
  return (
    <>
      <Toolbar end={<CopyAs of={copyOf('keys.list', {})} />}>
        <ActionButton scope="admin" tone="primary" act={() => setMaking(true)}>
          Make a key
        </ActionButton>
      </Toolbar>
      <Done>{done}</Done>
      {keys.error !== null && <Problem error={keys.error} retry={() => void keys.refetch()} />}
      {found === undefined && keys.error === null && <Skeleton rows={4} />}
      {found?.length === 0 && (
        <Empty title="There are no keys.">
          <p>
            As long as there is none, the API is open to every program on the machine of the server, and to no other.
          </p>
        </Empty>
      )}
      {found !== undefined && found.length > 0 && (
        <KeyTable keys={found} done={say} more={keys.hasNextPage ? () => void keys.fetchNextPage() : undefined} />
      )}
      {keys.hasNextPage && (
        <button type="button" className="button" onClick={() => void keys.fetchNextPage()}>
          Load more keys
        </button>
      )}
      {isMaking && (
        <NewKeyDialog
          close={() => setMaking(false)}
          made={(key) => {
            setMaking(false);
            show(key);
            void client.invalidateQueries({ queryKey: ['keys'] });
          }}
        />
      )}
      {made !== undefined && <MadeKeyDialog made={made} close={() => show(undefined)} />}
    </>
  );
}

/** Revoked keys come last, then the order of their creation counts, the newest first. */
const usableFirst = (one: Key, other: Key): number =>
  Number(one.revokedAt !== undefined) - Number(other.revokedAt !== undefined) || other.createdAt - one.createdAt;

interface KeyTableProps {
  readonly keys: readonly Key[];
  /** Shows the result of an action. */
  readonly done: (result: ReactNode) => void;
  /** Loads more keys; absent: all are shown. */
  readonly more: (() => void) | undefined;
}

/** API keys with their scopes and the time of their last use. */
function KeyTable({ keys, done, more }: KeyTableProps) {
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
        { title: 'May', cell: ({ scopes }) => scopes.map((scope) => scopeLabels[scope].short).join(', ') },
        { title: 'Made', cell: ({ createdAt }) => <Age at={createdAt} /> },
        { title: 'Last used', cell: (key) => <LastUse of={key} /> },
        { title: 'State', cell: (key) => <State of={key} /> },
        {
          title: 'Action',
          cell: (key) => key.revokedAt === undefined && <Revoke of={key} done={done} />,
        },
      ]}
    />
  );
}

/** Button that revokes a key; an expired one is refused already. */
function Revoke({ of: key, done }: { readonly of: Key } & Pick<KeyTableProps, 'done'>) {
  const now = useServerNow();
  if (stateOf(key, now) === 'expired') return null;
  const name = key.name ?? key.id;
  return (
    <ResourceActions
      changes="keys"
      done={done}
      actions={[
        {
          id: 'revoke',
          danger: 'always',
          button: (
            <>
              Revoke<span className="visually-hidden"> {name}</span>
            </>
          ),
          asks: `Revoke the key ${name}?`,
          will: 'Every program that uses it, and every browser that has signed in with it, is refused within a second. A revoked key cannot be used again.',
          confirm: 'Revoke it',
          copied: copyOf('keys.revoke', { id: key.id }),
          act: async () => {
            await millrace.keys.revoke(key.id);
            return `Key ${name} is revoked.`;
          },
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
        <small className={classes['until']} title={formatMoment(moment)}>
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

/** A key that was just made. */
interface NewKey extends MadeKey {
  /** It is the first one, so this browser has to use it from now on. */
  readonly isFirst: boolean;
}

/** A new key; it is shown only once. */
function MadeKeyDialog({ made, close }: { readonly made: NewKey; readonly close: () => void }) {
  return (
    <Dialog title="The key is made" close={close}>
      <div className={`${classes['made']} stack`}>
        <p>Copy it now. It is stored as a hash only, so nobody can show it again.</p>
        <CopyableId id={made.key} />
        {made.isFirst && <p>The API requires a key from now on. This browser is signed in with this one.</p>}
        <p>
          Programs send it as <code>Authorization: Bearer KEY</code>; the command line reads it from{' '}
          <code>MILLRACE_API_KEY</code>.
        </p>
        <button type="button" className="button primary" onClick={close}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}

type Scope = Key['scopes'][number];

/** Scopes in words, in the order in which they are offered. */
const scopeLabels: Readonly<Record<Scope, { readonly short: string; readonly allows: string }>> = {
  read: { short: 'read', allows: 'list, describe and follow runs, and see their questions and usage' },
  run: { short: 'run', allows: 'start, stop, replay and fork runs, and publish workflows' },
  answer: { short: 'answer', allows: 'answer questions' },
  admin: { short: 'administer', allows: 'all of these, and make keys, remove runs and manage webhooks' },
};

const lives = { '30': '30 days', '90': '90 days', '365': 'a year', '': 'without an end' } as const;
const dayMs = 24 * 60 * 60 * 1000;

interface NewKeyDialogProps {
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}

/** Creates an API key, with its scopes in words. */
function NewKeyDialog({ close, made }: NewKeyDialogProps) {
  const { data: me } = useCaller();
  const isFirst = me?.open === true;
  const [name, setName] = useState('');
  const [days, setDays] = useState<keyof typeof lives>('90');
  const [chosen, choose] = useState<readonly Scope[]>(isFirst ? ['admin'] : ['read']);
  const wanted = () => ({
    scopes: [...chosen],
    ...(name === '' ? {} : { name }),
    ...(days === '' ? {} : { expiresAt: Date.now() + Number(days) * dayMs }),
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (): Promise<NewKey> => {
      if (!isFirst) return { ...(await millrace.keys.create(wanted())), isFirst };
      // From the first key on, the server refuses the other requests of this page: a dialog that asks for the key would cover it.
      return untilSignedIn(async () => {
        const key = await millrace.keys.create(wanted());
        await signIn(key.key);
        return { ...key, isFirst };
      });
    },
    onSuccess: made,
  });
  return (
    <ConfirmDialog
      title="Make a key"
      will={`A program with this key acts for the tenant ${me?.tenant ?? ''}. The key is shown once.`}
      confirm="Make the key"
      isPending={isPending || chosen.length === 0}
      error={error}
      act={() => mutate()}
      close={close}
      copied={copyOf('keys.create', wanted())}
    >
      {isFirst && (
        <p className="note ink" data-tone="waiting">
          The API requires no key now. From the first key on it requires one; this browser is then signed in with it.
          {!chosen.includes('admin') && (
            <>
              {' '}
              Only a key that may administer can make further ones here; <code>millrace keys create</code> can on the
              machine of the server.
            </>
          )}
        </p>
      )}
      <label className={`${form['field']} field`}>
        Name
        <input
          value={name}
          maxLength={100}
          onChange={({ target }) => setName(target.value)}
          placeholder="nightly reports"
        />
      </label>
      <fieldset className={`${classes['scopes']} stack`}>
        <legend>It may</legend>
        {(Object.entries(scopeLabels) as [Scope, (typeof scopeLabels)[Scope]][]).map(([scope, { short, allows }]) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ target }) =>
                choose(target.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
              }
            />
            <span>
              <strong>{short}</strong>: {allows}
            </span>
          </label>
        ))}
      </fieldset>
      <label className={`${form['field']} field`}>
        Valid for
        <select value={days} onChange={({ target }) => setDays(target.value as keyof typeof lives)}>
          {Object.entries(lives).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </ConfirmDialog>
  );
}
