import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download, FileText, Folder, FolderTree } from 'lucide-react';
import { useMemo } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Toolbar } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatBytes, formatCounted } from '../../kit/values/format.ts';
import { FilePreview } from './file-preview.tsx';
import type { TreeLine } from './files.ts';
import { treeOf } from './files.ts';
import classes from './files-tab.module.css';

/** The files that the nodes of a run have written, as a tree with a preview. */
export function FilesTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { file: chosen, version } = useSearch({ from: '/runs/$run/files' });
  const navigate = useNavigate({ from: '/runs/$run/files' });
  const { data, error, refetch } = useQuery({
    queryKey: ['run', run, 'artifacts'],
    queryFn: ({ signal }) => millrace.runs.get(run).artifacts(undefined, { signal }),
  });
  const lines = useMemo(() => treeOf(data ?? []), [data]);
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  if (data.length === 0) return <Empty title="No node of this run has written a file." />;
  const file = data.find(({ id }) => id === chosen);
  const choose = (id: string) => void navigate({ search: { file: id }, replace: true, resetScroll: false });
  return (
    <>
      <Toolbar
        end={
          <a className="button" href={`/v1/runs/${encodeURIComponent(run)}/artifacts.zip`} download>
            <Download aria-hidden size={14} /> All files as zip
          </a>
        }
      >
        {formatCounted(data.length, 'file')} · {formatBytes(data.reduce((sum, { size }) => sum + size, 0))}
      </Toolbar>
      <div className={`${classes['sides']} stack`}>
        <ul className={`${classes['tree']} panel`} aria-label="Files">
          {lines.map((line) => (
            <Line key={keyOf(line)} line={line} chosen={chosen} choose={choose} />
          ))}
        </ul>
        {file === undefined ? (
          <div className="panel">
            <Empty title={chosen === undefined ? 'Choose a file to see it.' : 'This file is no longer there.'} />
          </div>
        ) : (
          <FilePreview
            key={file.id}
            run={run}
            file={file}
            version={version}
            choose={(digest) =>
              void navigate({ search: { file: file.id, version: digest }, replace: true, resetScroll: false })
            }
          />
        )}
      </div>
    </>
  );
}

const keyOf = (line: TreeLine): string =>
  line.type === 'file' ? line.file.id : line.type === 'folder' ? line.key : line.name;

interface LineProps {
  readonly line: TreeLine;
  readonly chosen: string | undefined;
  readonly choose: (file: string) => void;
}

const icons = { workspace: FolderTree, folder: Folder, file: FileText } as const;

function Line({ line, chosen, choose }: LineProps) {
  const Icon = icons[line.type];
  const indent = { paddingLeft: 12 + line.depth * 16 };
  if (line.type !== 'file')
    return (
      <li className={`${classes['line']} row ${line.type === 'workspace' ? classes['workspace'] : ''}`} style={indent}>
        <Icon aria-hidden size={14} /> {line.name}
      </li>
    );
  return (
    <li>
      <button
        type="button"
        className={`${classes['line']} row`}
        style={indent}
        aria-current={line.file.id === chosen ? 'true' : undefined}
        onClick={() => choose(line.file.id)}
        title={line.file.path}
      >
        <Icon aria-hidden size={14} />
        <bdi className="grow cut">{line.name}</bdi>
        <small>{formatBytes(line.file.size)}</small>
      </button>
    </li>
  );
}
