import type { UploadedFile } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { ChosenFile, FileButton } from '../kit/controls/file-button.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { formatBytes } from '../kit/values/format.ts';

interface AttachmentsProps {
  readonly files: readonly UploadedFile[];
  readonly change: (files: readonly UploadedFile[]) => void;
}

/** Files of an answer; each is uploaded when it is chosen. */
export function Attachments({ files, change }: AttachmentsProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: readonly File[]) => Promise.all(chosen.map((file) => millrace.files.upload(file))),
    onSuccess: (uploaded) => change([...files, ...uploaded]),
  });
  return (
    <div className="row wrap">
      {error !== null && <Problem error={error} />}
      {files.map(({ id, name, size }) => (
        <ChosenFile
          key={id}
          name={name}
          facts={formatBytes(size)}
          remove={() => change(files.filter((one) => one.id !== id))}
        />
      ))}
      <FileButton name="Attach files" label="Attach" isPending={isPending} choose={mutate} />
    </div>
  );
}
