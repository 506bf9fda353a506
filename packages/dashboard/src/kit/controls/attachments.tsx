import type { UploadedFile } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import { Problem } from '../states/problem.tsx';
import { formatBytes } from '../values/format.ts';
import { ChosenFile, FileButton } from './file-button.tsx';

interface AttachmentsProps {
  readonly files: readonly UploadedFile[];
  readonly change: (files: readonly UploadedFile[]) => void;
}

/** Files of an answer or a task; each is uploaded when it is chosen. */
export function Attachments({ files, change }: AttachmentsProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: readonly File[]) => Promise.all(chosen.map((file) => millrace.files.upload(file))),
    onSuccess: (uploaded) => change([...files, ...uploaded]),
  });
  return (
    <div className="row wrap">
      {error !== null && <Problem error={error} />}
      <ul className="row wrap">
        {files.map(({ id, name, size }) => (
          <li key={id}>
            <ChosenFile
              name={name}
              facts={formatBytes(size)}
              remove={() => change(files.filter((one) => one.id !== id))}
            />
          </li>
        ))}
        <li>
          <FileButton name="Attach files" label="Attach" isPending={isPending} choose={mutate} />
        </li>
      </ul>
    </div>
  );
}
