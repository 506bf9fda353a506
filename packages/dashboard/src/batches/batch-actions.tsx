import type { Batch, BatchRow } from '@millrace/client';
import { batchResultLine, batchResultsHead } from '@millrace/core/csv';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { useDeletion } from '../kit/commands/use-deletion.ts';
import { Menu, MenuItem } from '../kit/controls/menu.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { formatCount } from '../kit/values/format.ts';
import { saveText } from '../kit/values/save-text.ts';
import { rowCountsOf } from './batch-progress.ts';

/** Buttons for the actions on a batch; what cannot be undone is the last. */
export function BatchActions({ batch }: { readonly batch: Batch }) {
  const deletion = useDeletion('batches', batch.id, {
    scope: 'run',
    will: 'The batch and its list of rows are deleted. Its runs stay.',
  });
  return (
    <>
      <ResourceActions changes="batches" actions={retryOf(batch)} />
      <SaveResults batch={batch} />
      <ResourceActions changes="batches" actions={endOf(batch, deletion)} />
    </>
  );
}

const ofRows = (count: number) => (count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`);

/** Returns the action that starts failed rows again, if there are any. It is confirmed if something is paid again. */
function retryOf({ id, status, rows }: Batch): readonly ResourceAction[] {
  const terminated = rows['terminated'] ?? 0;
  const failed = (rows['failed'] ?? 0) + terminated;
  if (failed === 0 || status === 'cancelling') return [];
  const retry: ResourceAction = {
    id: 'retry',
    scope: 'run',
    button: `Retry ${ofRows(failed)}`,
    command: `Retry ${ofRows(failed)} of this batch`,
    will: `Failed runs continue where they have failed; calls that have succeeded are not paid again.${terminated === 0 ? '' : ` ${ofRows(terminated)} that ended at a limit start again from the beginning, and are paid again.`}`,
    ...(terminated === 0 ? {} : { asks: `Retry ${ofRows(failed)} of ${id}?`, confirm: `Retry ${ofRows(failed)}` }),
    copied: copyOf('batches.retryFailed', { id }),
    act: async () => {
      await millrace.batches.retryFailed(id);
      return `${ofRows(failed)} ${failed === 1 ? 'was' : 'were'} queued again.`;
    },
  };
  return [retry];
}

/** Returns the action that ends a batch: its cancellation, and after its end its deletion. */
function endOf(batch: Batch, deletion: ResourceAction): readonly ResourceAction[] {
  const { id, status } = batch;
  const { running, left } = rowCountsOf(batch);
  const cancel: ResourceAction = {
    id: 'cancel',
    scope: 'run',
    danger: 'always',
    button: 'Cancel',
    command: 'Cancel this batch',
    asks: `Cancel the batch ${id}?`,
    will: `${ofRows(left)} will not start, and the runs of ${ofRows(running)} are cancelled for good. Rows that have ended stay as they are.`,
    confirm: 'Cancel the batch',
    copied: copyOf('batches.cancel', { id }),
    act: async () => {
      await millrace.batches.cancel(id);
      return 'The batch is being cancelled.';
    },
  };
  if (status === 'cancelling') return [];
  return [status === 'running' ? cancel : deletion];
}

type Format = 'csv' | 'jsonl';

/** Menu that saves the results of a batch as a file. */
function SaveResults({ batch }: { readonly batch: Batch }) {
  const [read, setRead] = useState(0);
  const { mutate, isPending, error } = useMutation({ mutationFn: (format: Format) => save(batch.id, format, setRead) });
  return (
    <>
      <Menu
        name="Download results"
        label={
          <>
            <Download aria-hidden size={14} />
            {isPending ? `${formatCount(read)} of ${formatCount(batch.total)} rows…` : 'Results'}
          </>
        }
      >
        <MenuItem act={() => isPending || mutate('csv')}>Download as CSV, safe for spreadsheets</MenuItem>
        <MenuItem act={() => isPending || mutate('jsonl')}>Download as lines of JSON, exact</MenuItem>
      </Menu>
      {error !== null && <Problem error={error} />}
    </>
  );
}

const pageSize = 200;

/** Reads all rows with their results, page by page, and saves them. */
async function save(id: string, format: Format, report: (read: number) => void): Promise<void> {
  const parts: string[] = format === 'csv' ? [`${batchResultsHead}\r\n`] : [];
  let read = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await millrace.call('batches.rows', {
      id,
      limit: pageSize,
      results: 'true',
      ...(cursor && { cursor }),
    });
    const rows: readonly BatchRow[] = page.data;
    for (const row of rows) parts.push(format === 'csv' ? `${batchResultLine(row)}\r\n` : `${JSON.stringify(row)}\n`);
    read += rows.length;
    report(read);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  saveText(`${id}.${format}`, new Blob(parts, { type: format === 'csv' ? 'text/csv;charset=utf-8' : 'text/plain' }));
}
