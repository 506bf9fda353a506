import type { TablePreview } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { FileSpreadsheet } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Field } from '../../kit/controls/field.tsx';
import { Panel, Screen } from '../../kit/layout/screen.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import tables from '../../kit/tables/table.module.css';
import { formatCount } from '../../kit/values/format.ts';
import type { ColumnKind, Columns } from './columns.ts';
import { columnKinds, findColumns, guessLabel, kindOf, obstacleIn, withKind } from './columns.ts';
import classes from './new-batch.module.css';
import { StartForm } from './start-form.tsx';

/** A file that was chosen, and how often one was: another file may have the same name. */
interface FileChoice {
  readonly file: File;
  readonly time: number;
}

/** Creates a batch from a table; a preview is shown before anything starts. */
export function NewBatchScreen() {
  const [chosen, choose] = useState<FileChoice>();
  const [columns, change] = useState<Columns>();
  const own = usePreview(chosen, undefined);
  const found = own.data === undefined ? undefined : findColumns(own.data);
  const meanings = columns ?? found?.columns ?? {};
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
            {columns === undefined && found !== undefined && found.guessed.length > 0 && (
              <p role="status" className="muted">
                Guessed from names and texts: {guessLabel(found)}. Change what is wrong.
              </p>
            )}
            {obstacle !== undefined && <p role="status">{obstacle}</p>}
          </Panel>
          <StartForm file={chosen.file} columns={meanings} preview={mapped.data} obstacle={obstacle}>
            {mapped.data !== undefined && obstacle === undefined && <WrongRows preview={mapped.data} />}
          </StartForm>
          <Panel title="Rows as they were read">
            <PreviewTable preview={preview} columns={meanings} isMapped={obstacle === undefined} />
          </Panel>
        </>
      )}
    </Screen>
  );
}

/** Reads a table on the server, as a batch would. */
function usePreview(chosen: FileChoice | undefined, columns: Columns | undefined) {
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

interface ColumnChoiceProps {
  readonly preview: TablePreview;
  readonly columns: Columns;
  readonly change: (columns: Columns) => void;
}

/** Choice of the meaning of each column of a table. */
function ColumnChoice({ preview, columns, change }: ColumnChoiceProps) {
  return (
    <fieldset className={`${classes['columns']} stack`}>
      <legend className="visually-hidden">What the columns mean</legend>
      {preview.columns.map(({ name }) => (
        <Field key={name} label={name}>
          {({ id }) => (
            <>
              <select
                id={id}
                value={kindOf(columns[name])}
                onChange={({ target }) => change(withKind(columns, name, target.value as ColumnKind))} // of the options
              >
                {Object.entries(columnKinds).map(([kind, label]) => (
                  <option key={kind} value={kind}>
                    {label}
                  </option>
                ))}
              </select>
              {kindOf(columns[name]) === 'variable' && (
                <input
                  aria-label={`Variable of ${name}`}
                  value={columns[name]?.slice('vars.'.length) ?? ''}
                  onChange={({ target }) => change({ ...columns, [name]: `vars.${target.value}` })}
                />
              )}
            </>
          )}
        </Field>
      ))}
    </fieldset>
  );
}

interface TableDropProps {
  readonly file: File | undefined;
  readonly choose: (file: File) => void;
}

/** A field that takes a table: chosen, or dropped on it. */
function TableDrop({ file, choose }: TableDropProps) {
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const [first] = files ?? [];
    if (first !== undefined) choose(first);
  };
  return (
    <label
      className={`${classes['drop']} panel spaced row wrap`}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
    >
      <FileSpreadsheet aria-hidden size={20} />
      <span aria-hidden>
        {file === undefined ? 'Drop a table here, or choose one: CSV or XLSX with a header' : file.name}
      </span>
      <input
        type="file"
        aria-label="Table"
        accept=".csv,.xlsx,text/csv"
        onChange={({ target }) => take(target.files)}
      />
    </label>
  );
}

interface PreviewTableProps {
  readonly preview: TablePreview;
  readonly columns: Columns;
  /** The rows were read with these columns, so that their problems are those that a batch would have. */
  readonly isMapped: boolean;
}

/** The first rows of a table as they were read. */
const PreviewTable = ({ preview, columns, isMapped }: PreviewTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways
  <section className={`${classes['scroll']} panel`} tabIndex={0} aria-label="Preview">
    <table className={`${tables['table']} panel`} aria-label="First rows">
      <thead>
        <tr>
          <th scope="col">Row</th>
          {preview.columns.map(({ name }) => (
            <th key={name} scope="col">
              {name} <small>{meaningOf(columns[name])}</small>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {preview.rows.map(({ row, cells, problem }) => (
          <tr key={row} data-wrong={isMapped && problem !== undefined}>
            <td>{row}</td>
            {preview.columns.map(({ name }, at) => (
              <td key={name} className={columns[name] === undefined ? 'muted' : undefined}>
                {cells[at] ?? ''}
                {isMapped && at === 0 && problem !== undefined && <em>{problem}</em>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const meaningOf = (to: string | undefined): string =>
  kindOf(to) === 'variable' ? `→ ${to?.slice('vars.'.length)}` : `→ ${columnKinds[kindOf(to)]}`;

/** The invalid rows, shown before the batch is started. */
function WrongRows({ preview: { wrong, total, problems } }: { readonly preview: TablePreview }) {
  if (wrong === 0) return <p>All {formatCount(total)} rows can start a run.</p>;
  return (
    <section className={`${classes['wrong']} note ink stack`} data-tone="failed" aria-label="Wrong rows">
      <strong>
        {formatCount(wrong)} of {formatCount(total)} rows cannot start a run; they are left out, and listed as invalid.
      </strong>
      <ul>
        {problems.map(({ row, problem }) => (
          <li key={row}>
            Row {row}: {problem}
          </li>
        ))}
      </ul>
      {wrong > problems.length && <p>… and {formatCount(wrong - problems.length)} more.</p>}
    </section>
  );
}
