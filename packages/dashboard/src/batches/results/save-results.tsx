import type { Batch, BatchRow } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Menu, MenuItem } from '../../kit/controls/menu.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount } from '../../kit/values/format.ts';
import { saveText } from '../../kit/values/save-text.ts';
import { csvHeader, csvOf, jsonLinesOf } from './results-csv.ts';

type Format = 'csv' | 'jsonl';

/** Menu that saves the results of a batch as a file. */
export function SaveResults({ batch }: { readonly batch: Batch }) {
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
  const parts: string[] = format === 'csv' ? [csvHeader] : [];
  let read = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await millrace.call('batches.rows', {
      id,
      limit: pageSize,
      results: 'true',
      ...(cursor && { cursor }),
    });
    const rows: readonly BatchRow[] = page.data;
    parts.push(format === 'csv' ? csvOf(rows) : jsonLinesOf(rows));
    read += rows.length;
    report(read);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  saveText(`${id}.${format}`, new Blob(parts, { type: format === 'csv' ? 'text/csv;charset=utf-8' : 'text/plain' }));
}
