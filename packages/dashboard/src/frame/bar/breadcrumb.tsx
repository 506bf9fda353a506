import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { runQuery } from '../../run/use-run.ts';
import { screens } from '../screens.ts';
import classes from './breadcrumb.module.css';

/** Place of the screen among the others, as in `Runs / An article / timeline`. */
export function Breadcrumb() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { run, other, name } = useParams({ strict: false });
  const screen = screens.find(({ to }) => path.startsWith(to));
  if (screen === undefined) return <span />;
  const isOne = run !== undefined || name !== undefined;
  return (
    <nav aria-label="Breadcrumb" className={classes['breadcrumb']}>
      <ol>
        <li>
          {isOne ? (
            <Link to={screen.to} activeOptions={{ exact: true }}>
              <ChevronLeft aria-hidden size={14} />
              {screen.label}
            </Link>
          ) : (
            <span aria-current="page">{screen.label}</span>
          )}
        </li>
        {isOne && (
          <li className={classes['run']}>
            {run === undefined ? <span aria-current="page">{name}</span> : <RunCrumb run={run} />}
          </li>
        )}
        {isOne && <li className={classes['tab']}>{other === undefined ? path.split('/').at(-1) : 'compare'}</li>}
      </ol>
    </nav>
  );
}

/** The title of the run that is shown, as its screen has loaded it. */
function RunCrumb({ run }: { readonly run: string }) {
  const { data } = useQuery({ ...runQuery(run), enabled: false });
  return <span aria-current="page">{data?.title ?? run}</span>;
}
