import type { PublishedWorkflow } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useOfferedCommands } from '../kit/commands/commands.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Dialog } from '../kit/controls/dialog.tsx';
import form from '../kit/controls/form.module.css';
import { Problem } from '../kit/states/problem.tsx';

/** Button that ends the start of new runs of a workflow, after a question. */
export function ArchiveButton({ workflow: { name, hash, archivedAt } }: { readonly workflow: PublishedWorkflow }) {
  const [isAsked, ask] = useState(false);
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => millrace.workflows.archive(name, { ifHash: hash }),
    onSuccess: () => ask(false),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['workflows'] }),
  });
  useOfferedCommands(useMemo(() => [{ id: 'archive', title: 'Archive this workflow', act: () => ask(true) }], []));
  if (archivedAt !== undefined) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => ask(true)}>
        Archive
      </button>
      {isAsked && (
        <Dialog title={`Archive ${name}?`} close={() => ask(false)}>
          <p>No new run of it is started. Runs that there are continue, and publishing it again makes it usable.</p>
          {error !== null && <Problem error={error} />}
          <div className={form['buttons']}>
            <CopyAs of={copyOf('workflows.archive', { name, 'if-match': `"${hash}"` })} />
            <button type="button" className="button" onClick={() => ask(false)}>
              Leave it as it is
            </button>
            <button type="button" className="button danger" disabled={isPending} onClick={() => mutate()}>
              Archive {name}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
