import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import { ChevronLeft, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { Keys } from '../../kit/shortcuts/keys.tsx';
import { shortcuts } from '../../kit/shortcuts/shortcuts.ts';
import { runQuery } from '../../run/follow/run-queries.ts';
import { Connection } from '../connection/connection.tsx';
import { AccountLabel, accountName } from './account-label.tsx';
import classes from './bar.module.css';
import type { ScreenLink } from './screens.ts';
import { screens } from './screens.ts';

interface BarProps {
  readonly openPalette: () => void;
  readonly openSheet: () => void;
}

/** Bar above each screen: the path of the screen, the state of live updates, and the account. */
export function Bar({ openPalette, openSheet }: BarProps) {
  return (
    <div className={`${classes['bar']} row`}>
      <Breadcrumb />
      <div className={`${classes['right']} row`}>
        <Connection />
        <button type="button" className={`${classes['search']} muted`} onClick={openPalette}>
          <Search aria-hidden size={14} />
          <span>Go to, find, act</span>
          <span>
            <Keys keys={shortcuts.palette.keys[0]} />
          </span>
        </button>
        <Account openSheet={openSheet} />
      </div>
    </div>
  );
}

const load = () => import('./account-menu.tsx');
const AccountMenu = lazy(async () => ({ default: (await load()).AccountMenu }));

/** Button with the tenant and the key of the caller. The code of its menu is loaded on focus or hover. */
function Account({ openSheet }: { readonly openSheet: () => void }) {
  const { data: me } = useCaller();
  const [isAsked, ask] = useState(false);
  const button = (
    <button
      type="button"
      className="menu-trigger"
      aria-haspopup="menu"
      aria-label={accountName(me)}
      onClick={() => ask(true)}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
    >
      <AccountLabel me={me} />
    </button>
  );
  if (!isAsked) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu openSheet={openSheet} />
    </Suspense>
  );
}

/** Place of the screen among the others, as in `Runs / An article / timeline`. */
function Breadcrumb() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { run, other, name, a: earlier, batch, schedule, webhook, order } = useParams({ strict: false });
  if (path.startsWith('/bulk')) return <BulkTrail order={order} />;
  const screen = screens.find(({ to }) => path.startsWith(to));
  if (screen === undefined) return <span />;
  // The address of the changes between two versions ends with a hash.
  const tab = earlier === undefined ? path.split('/').at(-1) : 'changes';
  const subject = name ?? batch ?? schedule ?? webhook;
  if (run !== undefined)
    return (
      <Trail parents={[screen]} tab={other === undefined ? tab : 'compare'}>
        <RunCrumb run={run} />
      </Trail>
    );
  if (subject !== undefined)
    return (
      <Trail parents={[screen]} tab={name === undefined ? undefined : tab}>
        {subject}
      </Trail>
    );
  return path.endsWith('/new') ? <Trail parents={[screen]}>new</Trail> : <Trail parents={[]}>{screen.label}</Trail>;
}

const listOfRuns = { to: '/runs', label: 'Runs' } as const;
const bulkOrders = { to: '/bulk', label: 'Bulk orders' } as const;

/** Bulk orders are given in the list of runs. */
const BulkTrail = ({ order }: { readonly order: string | undefined }) =>
  order === undefined ? (
    <Trail parents={[listOfRuns]}>{bulkOrders.label}</Trail>
  ) : (
    <Trail parents={[listOfRuns, bulkOrders]}>{order}</Trail>
  );

interface TrailProps {
  /** Links to the screens above this one. */
  readonly parents: readonly (Pick<ScreenLink, 'to' | 'label'> | typeof bulkOrders)[];
  /** Name of what is shown. */
  readonly children: ReactNode;
  readonly tab?: string | undefined;
}

const Trail = ({ parents, children, tab }: TrailProps) => (
  <nav aria-label="Breadcrumb" className={`${classes['breadcrumb']} muted`}>
    <ol>
      {parents.map(({ to, label }, at) => (
        <li key={to} className={classes['parent']}>
          <Link to={to} activeOptions={{ exact: true }}>
            {at === 0 && <ChevronLeft aria-hidden size={14} />}
            {label}
          </Link>
        </li>
      ))}
      <li className={classes['subject']}>
        <span aria-current="page">{children}</span>
      </li>
      {tab !== undefined && <li className={classes['tab']}>{tab}</li>}
    </ol>
  </nav>
);

/** The title of the run that is shown, as its screen has loaded it. */
function RunCrumb({ run }: { readonly run: string }) {
  const { data } = useQuery({ ...runQuery(run), enabled: false });
  return data?.title ?? run;
}
