import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { millrace } from '../../api/millrace.ts';
import classes from '../../kit/layout/table.module.css';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatBytes } from '../../kit/values/format.ts';

/** The files that the nodes of a run have written, all versions of them. */
export function FilesTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { data, error, refetch } = useQuery({
    queryKey: ['run', run, 'artifacts'],
    queryFn: () => millrace.runs.get(run).artifacts(),
    refetchInterval: 5_000,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  if (data.length === 0) return <Empty title="No node of this run has written a file." />;
  const base = `/v1/runs/${encodeURIComponent(run)}`;
  return (
    <>
      <table className={classes['table']}>
        <thead>
          <tr>
            {['Path', 'Size', 'Type', 'Written by'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.map(({ id, path, size, mimeType, node, activation }) => (
            <tr key={id}>
              <td>
                <a href={`${base}/artifacts/${encodeURIComponent(id)}`} download={path.split('/').at(-1)}>
                  {path}
                </a>
              </td>
              <td>{formatBytes(size)}</td>
              <td>{mimeType}</td>
              <td>
                {node} <code>{activation}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <a className="button" href={`${base}/artifacts.zip`} download>
          <Download aria-hidden size={14} /> All files as zip
        </a>
      </p>
    </>
  );
}
