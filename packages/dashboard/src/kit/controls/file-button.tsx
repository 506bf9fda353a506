import { Paperclip, X } from 'lucide-react';
import { useId } from 'react';
import classes from './file-button.module.css';

interface FileButtonProps {
  /** Name of the field for screen readers. */
  readonly name: string;
  /** Words on the button. */
  readonly label: string;
  readonly isPending: boolean;
  readonly choose: (files: readonly File[]) => void;
}

/** Button that opens the dialog of the browser for files. */
export function FileButton({ name, label, isPending, choose }: FileButtonProps) {
  const field = useId();
  return (
    <span className={classes['field']}>
      <input
        id={field}
        type="file"
        multiple
        className="visually-hidden"
        aria-label={name}
        aria-busy={isPending}
        onChange={({ target }) => {
          choose([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <label htmlFor={field} className="button" aria-disabled={isPending}>
        <Paperclip aria-hidden size={14} /> {isPending ? 'Uploading…' : label}
      </label>
    </span>
  );
}

interface ChosenFileProps {
  readonly name: string;
  /** Facts beside its name. */
  readonly facts?: string;
  readonly remove: () => void;
}

/** A chosen file, with a button that leaves it out again. */
export const ChosenFile = ({ name, facts, remove }: ChosenFileProps) => (
  <span className={`${classes['file']} inline`}>
    <bdi>{name}</bdi>
    {facts !== undefined && ` · ${facts}`}
    <button type="button" className="icon-button muted" aria-label={`Remove ${name}`} onClick={remove}>
      <X aria-hidden size={14} />
    </button>
  </span>
);
