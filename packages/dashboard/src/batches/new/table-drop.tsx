import { FileSpreadsheet } from 'lucide-react';
import { useState } from 'react';
import classes from './new-batch.module.css';

interface TableDropProps {
  readonly file: File | undefined;
  readonly choose: (file: File) => void;
}

/** A field that takes a table: chosen, or dropped on it. */
export function TableDrop({ file, choose }: TableDropProps) {
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const [first] = files ?? [];
    if (first !== undefined) choose(first);
  };
  return (
    <label
      className={classes['drop']}
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
