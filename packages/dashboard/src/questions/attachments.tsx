import type { UploadedFile } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { Paperclip, X } from 'lucide-react';
import { useId } from 'react';
import { millrace } from '../api/millrace.ts';
import { Problem } from '../kit/states/problem.tsx';
import { formatBytes } from '../kit/values/format.ts';
import classes from './questions.module.css';

interface AttachmentsProps {
  readonly files: readonly UploadedFile[];
  readonly change: (files: readonly UploadedFile[]) => void;
}

/** Files of an answer; each is uploaded when it is chosen. */
export function Attachments({ files, change }: AttachmentsProps) {
  const field = useId();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: readonly File[]) => Promise.all(chosen.map((file) => millrace.files.upload(file))),
    onSuccess: (uploaded) => change([...files, ...uploaded]),
  });
  return (
    <div className={`${classes['attachments']} row wrap`}>
      {error !== null && <Problem error={error} />}
      {files.map(({ id, name, size }) => (
        <span key={id} className={`${classes['file']} inline`}>
          {name} · {formatBytes(size)}
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${name}`}
            onClick={() => change(files.filter((one) => one.id !== id))}
          >
            <X aria-hidden size={14} />
          </button>
        </span>
      ))}
      <label htmlFor={field} className="button" aria-disabled={isPending}>
        <Paperclip aria-hidden size={14} /> {isPending ? 'Uploading…' : 'Attach'}
      </label>
      <input
        id={field}
        type="file"
        multiple
        className="visually-hidden"
        aria-label="Attach files"
        onChange={({ target }) => {
          mutate([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </div>
  );
}
