import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { Dialog } from '../../kit/controls/dialog.tsx';
import form from '../../kit/controls/form.module.css';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { LineChanges } from '../../kit/text/line-changes.tsx';
import { copiedPublication } from '../publishing/copied-publication.ts';
import { useVersion, useWorkflow } from '../use-workflows.ts';
import classes from '../workflows.module.css';

interface PublishAgainProps {
  readonly name: string;
  readonly hash: string;
}

/** Button that makes an earlier version the current one, after it has shown the changes. */
export function PublishAgain({ name, hash }: PublishAgainProps) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => ask(true)}>
        Publish again
      </button>
      {isAsked && <PublishAgainDialog name={name} hash={hash} close={() => ask(false)} />}
    </>
  );
}

function PublishAgainDialog({ name, hash, close }: PublishAgainProps & { readonly close: () => void }) {
  const { data: current, error: unknownCurrent } = useWorkflow(name);
  const { data: version, error: unknownVersion } = useVersion(name, hash);
  const [note, setNote] = useState('');
  const queries = useQueryClient();
  const written = note.trim() === '' ? undefined : note.trim();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ yaml, ifHash }: { readonly yaml: string; readonly ifHash: string }) =>
      millrace.workflows.publish(name, yaml, { ifHash, note: written }),
    onSuccess: close,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['workflows'] }),
  });
  const failed = unknownCurrent ?? unknownVersion ?? error;
  return (
    <Dialog title={`Publish @${hash.slice(0, 6)} of ${name} again?`} size="large" close={close}>
      {failed !== null && <Problem error={failed} />}
      {current === undefined || version === undefined ? (
        failed === null && <Skeleton rows={6} />
      ) : (
        <form
          className={classes['form']}
          onSubmit={(event) => {
            event.preventDefault();
            mutate({ yaml: version.yaml, ifHash: current.hash });
          }}
        >
          <p>
            New runs of {name} use this version from then on; runs that there are keep theirs. From the current version{' '}
            <code>@{current.hash.slice(0, 6)}</code> to this one:
          </p>
          <LineChanges before={current.yaml} after={version.yaml} />
          <label className={classes['field']}>
            Note
            <textarea rows={2} maxLength={1000} value={note} onChange={({ target }) => setNote(target.value)} />
          </label>
          <div className={form['buttons']}>
            <CopyAs of={copiedPublication({ name, yaml: version.yaml, note: written, base: current.hash })} />
            <button type="submit" className="button primary" disabled={isPending}>
              Publish again
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
