import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import { formatBytes } from '../../kit/values/format.ts';
import classes from './activation-view.module.css';

/** Files that an activation has written. */
export function ActivationFiles({ run, activation }: { readonly run: string; readonly activation: string }) {
  const { data = [] } = useQuery({
    queryKey: ['run', run, 'artifacts', activation],
    queryFn: () => millrace.runs.get(run).artifacts(activation),
    staleTime: 5_000,
  });
  if (data.length === 0) return null;
  return (
    <section aria-label="Files">
      <h3>Files</h3>
      <ul className={classes['files']}>
        {data.map(({ id, path, size }) => (
          <li key={id}>
            <Link to="/runs/$run/files" params={{ run }} search={{ file: id }}>
              {path}
            </Link>
            <span>{formatBytes(size)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
