import { useMutation } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useId } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Problem } from '../../kit/states/problem.tsx';
import { Mistake } from './field.tsx';
import classes from './start.module.css';
import type { FieldError, StartDraft } from './start-draft.ts';

interface FileFieldProps {
  readonly files: StartDraft['files'];
  readonly change: (files: StartDraft['files']) => void;
  readonly error: FieldError | undefined;
}

/** Files of the task; each is uploaded when it is chosen. */
export function FileField({ files, change, error }: FileFieldProps) {
  const id = useId();
  const upload = useMutation({
    mutationFn: (chosen: readonly File[]) => Promise.all(chosen.map((file) => millrace.files.upload(file))),
    onSuccess: (uploaded) => change([...files, ...uploaded.map((file) => ({ id: file.id, name: file.name }))]),
  });
  return (
    <div className={classes['field']}>
      <label htmlFor={id}>Files</label>
      <input
        id={id}
        type="file"
        multiple
        data-filled={files.length > 0}
        aria-busy={upload.isPending}
        onChange={({ target }) => {
          upload.mutate([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      {files.length > 0 && (
        <ul className={classes['files']}>
          {files.map((file) => (
            <li key={file.id}>
              <bdi>{file.name}</bdi>
              <button
                type="button"
                aria-label={`Remove ${file.name}`}
                onClick={() => change(files.filter(({ id: other }) => other !== file.id))}
              >
                <X aria-hidden size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {upload.error !== null && <Problem error={upload.error} />}
      {error !== undefined && <Mistake id={`${id}-error`} error={error} />}
    </div>
  );
}
