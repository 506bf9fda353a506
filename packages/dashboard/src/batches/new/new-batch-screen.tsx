import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Panel } from '../../kit/layout/facts.tsx';
import { Screen } from '../../kit/layout/screen.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { ColumnChoice } from './column-choice.tsx';
import type { Columns } from './columns.ts';
import { columnsOf, obstacleIn } from './columns.ts';
import { StartForm } from './start-form.tsx';
import { TableDrop } from './table-drop.tsx';
import { PreviewTable, WrongRows } from './table-preview.tsx';

/** A file that was chosen, and how often one was: another file may have the same name. */
interface Chosen {
  readonly file: File;
  readonly time: number;
}

/** Creates a batch from a table; a preview is shown before anything starts. */
export function NewBatchScreen() {
  const [chosen, choose] = useState<Chosen>();
  const [columns, change] = useState<Columns>();
  const own = usePreview(chosen, undefined);
  const meanings = columns ?? (own.data === undefined ? {} : columnsOf(own.data));
  const obstacle = obstacleIn(meanings);
  const mapped = usePreview(obstacle === undefined ? chosen : undefined, meanings);
  const preview = mapped.data ?? own.data;
  const error = own.error ?? mapped.error;
  return (
    <Screen title="New batch">
      <TableDrop
        file={chosen?.file}
        choose={(file) => {
          choose({ file, time: Date.now() });
          change(undefined);
        }}
      />
      {error !== null && <Problem error={error} />}
      {own.isFetching && <Skeleton rows={4} />}
      {chosen !== undefined && preview !== undefined && error === null && (
        <>
          <Panel title="Columns">
            <ColumnChoice preview={preview} columns={meanings} change={change} />
            {obstacle !== undefined && <p role="status">{obstacle}</p>}
          </Panel>
          <Panel title="Rows as they were read">
            {mapped.data !== undefined && obstacle === undefined && <WrongRows preview={mapped.data} />}
            <PreviewTable preview={preview} columns={meanings} isMapped={obstacle === undefined} />
          </Panel>
          <StartForm file={chosen.file} columns={meanings} preview={mapped.data} obstacle={obstacle} />
        </>
      )}
    </Screen>
  );
}

/** Reads a table on the server, as a batch would. */
function usePreview(chosen: Chosen | undefined, columns: Columns | undefined) {
  return useQuery({
    queryKey: ['table', chosen?.file.name, chosen?.time, columns],
    queryFn: ({ signal }) =>
      millrace.batches.preview(
        { name: chosen?.file.name ?? '', content: chosen?.file ?? new Blob() },
        columns && { ...columns },
        {
          signal,
        },
      ),
    enabled: chosen !== undefined,
    // The file is the one that was chosen, even if it has changed since.
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  });
}
