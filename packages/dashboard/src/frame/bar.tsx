import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import { ChevronLeft, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { lazy, useEffect } from 'react';
import { holdUpdates, isStill, missedEvents, missedRuns } from '../api/live-updates.ts';
import { useStore } from '../api/store.ts';
import { isStreaming, onTenantEvents } from '../api/tenant-events.ts';
import { reachability, signedOut } from '../api/transport.ts';
import { useCaller } from '../api/use-caller.ts';
import { useIsInMemory } from '../api/use-storage.ts';
import { Deferred } from '../kit/controls/deferred.tsx';
import { Keys } from '../kit/shortcuts/keys.tsx';
import { shortcuts, useShortcut } from '../kit/shortcuts/shortcuts.ts';
import { formatCount, formatDuration } from '../kit/values/format.ts';
import { useNow } from '../kit/values/time.tsx';
import { runQuery } from '../run/follow/run-queries.ts';
import { AccountLabel, accountName } from './account-label.tsx';
import classes from './bar.module.css';
import type { ScreenLink } from './palette/screens.ts';
import { screens } from './palette/screens.ts';

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
        <InMemory />
        <Connection />
        <button type="button" className={`${classes['search']} quiet-button muted`} onClick={openPalette}>
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

/** Says that the runs of the server end with it. */
function InMemory() {
  return useIsInMemory() ? (
    <span
      className="pill tinted small nowrap"
      data-tone="waiting"
      title="The runs of this server end with it (--local)."
    >
      in memory
    </span>
  ) : null;
}

const load = () => import('./account-menu.tsx');
const AccountMenu = lazy(async () => ({ default: (await load()).AccountMenu }));

/** Button with the tenant and the key of the caller. The code of its menu is loaded on focus or hover. */
function Account({ openSheet }: { readonly openSheet: () => void }) {
  const { data: me } = useCaller();
  return (
    <Deferred
      load={load}
      button={(props) => (
        <button {...props} className="menu-trigger" aria-haspopup="menu" aria-label={accountName(me)}>
          <AccountLabel me={me} />
        </button>
      )}
    >
      <AccountMenu openSheet={openSheet} />
    </Deferred>
  );
}

/** Place of the screen among the others, as in `Runs / An article / timeline`. */
function Breadcrumb() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { run, other, name, a: earlier, batch, schedule, webhook, bulk } = useParams({ strict: false });
  if (path.startsWith('/bulk')) return <BulkTrail bulk={bulk} />;
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
const bulkActions = { to: '/bulk', label: 'Bulk actions' } as const;

/** Bulk actions are given in the list of runs. */
const BulkTrail = ({ bulk }: { readonly bulk: string | undefined }) =>
  bulk === undefined ? (
    <Trail parents={[listOfRuns]}>{bulkActions.label}</Trail>
  ) : (
    <Trail parents={[listOfRuns, bulkActions]}>{bulk}</Trail>
  );

interface TrailProps {
  /** Links to the screens above this one. */
  readonly parents: readonly (Pick<ScreenLink, 'to' | 'label'> | typeof bulkActions)[];
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

/** Shows if the page follows live events, and switches this on or off. */
function Connection() {
  const still = useStore(isStill);
  const { isReached } = useStore(reachability);
  const streams = useStore(isStreaming);
  const isSignedOut = useStore(signedOut);
  useShortcut('still', () => holdUpdates(!isStill.get()));
  useEffect(countMissedRuns, []);
  const word = still
    ? 'still'
    : isSignedOut
      ? 'signed out'
      : !isReached
        ? 'reconnecting'
        : streams
          ? 'live'
          : 'every 15 s';
  return (
    <>
      <span role="status" className="visually-hidden">
        {word}
      </span>
      <button
        type="button"
        className={`${classes['connection']} quiet-button muted small nowrap`}
        data-connection={word}
        aria-label={`${word}. ${still ? 'Follow live again' : 'Hold updates'}`}
        title={titles[word] ?? 'Hold updates (L)'}
        onClick={() => holdUpdates(!still)}
      >
        <span aria-hidden className={classes['sign']}>
          {signs[word]}
        </span>
        {word}
        {still && <Missed />}
        {word === 'reconnecting' && <LastReached />}
      </button>
      <Workers />
    </>
  );
}

const signs = { still: '▮▮', 'signed out': '○', reconnecting: '◌', live: '●', 'every 15 s': '◌' } as const;

const titles: Readonly<Partial<Record<keyof typeof signs, string>>> = {
  still: 'Follow live again (L)',
  'every 15 s':
    'No events arrive, for example because this key may not read runs: lists are loaded every 15 s. Hold updates (L)',
};

/** Number of held events of the shown run, or else of runs. */
function Missed() {
  const { size } = useStore(missedRuns);
  const events = useStore(missedEvents);
  const { run } = useParams({ strict: false });
  const count = run === undefined ? size : events;
  return count === 0 ? null : <span> · {formatCount(count)} new</span>;
}

function LastReached() {
  const { lastReachedAt } = useStore(reachability);
  const now = useNow();
  return lastReachedAt === 0 ? null : (
    <span className={classes['age']}> · as of {formatDuration(now - lastReachedAt)} ago</span>
  );
}

/** Warning if no server executes the started work. */
function Workers() {
  const { data } = useCaller();
  if (data === undefined || data.server.workers > 0) return null;
  return (
    <span className="ink strong small nowrap" data-tone="waiting">
      no workers
    </span>
  );
}

/** Counts the runs that change while updates are held. */
const countMissedRuns = (): (() => void) =>
  onTenantEvents((events) => {
    if (!isStill.get()) return;
    const runs = events.flatMap((event) => (event.type === 'run' ? [event.run.runId] : []));
    if (runs.length > 0) missedRuns.set(new Set([...missedRuns.get(), ...runs]));
  });
