import type { Key, MadeKey } from '@millrace/client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ConfirmDialog } from '../kit/controls/confirm-dialog.tsx';
import { Toolbar } from '../kit/layout/toolbar.tsx';
import { Done } from '../kit/states/done.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { KeyTable } from './key-table.tsx';
import { MadeKeyDialog } from './made-key-dialog.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

/** The API keys of the tenant: made, shown once, revoked. */
export function KeyList() {
  const client = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [made, show] = useState<MadeKey>();
  const [asked, ask] = useState<Key>();
  const keys = useInfiniteQuery({
    queryKey: ['keys'],
    queryFn: ({ pageParam }) => millrace.keys.list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const revoke = useMutation({
    mutationFn: (key: Key) => millrace.keys.revoke(key.id),
    onSuccess: () => ask(undefined),
    onSettled: () => void client.invalidateQueries({ queryKey: ['keys'] }),
  });
  const found = keys.data?.pages.flatMap(({ data }) => data).sort(usableFirst);
  return (
    <>
      <Toolbar end={<CopyAs of={copyOf('keys.list', {})} />}>
        <button type="button" className="button primary" onClick={() => setMaking(true)}>
          Make a key
        </button>
      </Toolbar>
      <Done>{revoke.isSuccess ? `Key ${revoke.data.name ?? revoke.data.id} is revoked.` : undefined}</Done>
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
        <KeyTable keys={found} revoke={ask} more={keys.hasNextPage ? () => void keys.fetchNextPage() : undefined} />
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
      {asked !== undefined && (
        <ConfirmDialog
          title={`Revoke the key ${asked.name ?? asked.id}?`}
          will="Every program that uses it, and every browser that has signed in with it, is refused within a second. A revoked key cannot be used again."
          confirm="Revoke it"
          isDanger
          isPending={revoke.isPending}
          error={revoke.error}
          act={() => revoke.mutate(asked)}
          close={() => ask(undefined)}
          copied={copyOf('keys.revoke', { id: asked.id })}
        />
      )}
    </>
  );
}

/** Revoked keys come last, then the order of their creation counts, the newest first. */
const usableFirst = (one: Key, other: Key): number =>
  Number(one.revokedAt !== undefined) - Number(other.revokedAt !== undefined) || other.createdAt - one.createdAt;
