import { CSPProvider } from '@base-ui/react/csp-provider';
import type { TenantEvent } from '@millrace/client';
import { CatchBoundary, Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { BookOpen, WifiOff } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { isStill } from '../api/live-updates.ts';
import { queryClient } from '../api/query-client.ts';
import { attemptNow, nextAttemptAt, reconnectWhenAway } from '../api/reconnect.ts';
import { followSession } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { onTenantEvents, receiveTenantEvents } from '../api/tenant-events.ts';
import { reachability, signedOut } from '../api/transport.ts';
import { callerQuery } from '../api/use-caller.ts';
import { useIsThere } from '../api/use-storage.ts';
import { Deferred } from '../kit/controls/deferred.tsx';
import { SkipLink } from '../kit/layout/screen.tsx';
import { useIsNarrow } from '../kit/layout/use-is-narrow.ts';
import { listenToKeys, useShortcut } from '../kit/shortcuts/shortcuts.ts';
import { useNow } from '../kit/values/time.tsx';
import { Confirmation } from '../questions/confirmation.tsx';
import { useWaitingQuestions } from '../questions/use-tasks.ts';
import { Bar } from './bar.tsx';
import classes from './frame.module.css';
import { MoreLabel, moreName } from './more-label.tsx';
import { NeedsRedis } from './needs-redis.tsx';
import { NotLoaded } from './not-found.tsx';
import type { ScreenLink } from './palette/screens.ts';
import { screens } from './palette/screens.ts';
import { holdTyping, takeTyped } from './palette/typed-ahead.ts';
import { shownTimeZone } from './time-zone.ts';

const loadPalette = () => import('./palette/palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const loadSheet = () => import('./shortcut-sheet.tsx');
const ShortcutSheet = lazy(async () => ({ default: (await loadSheet()).ShortcutSheet }));
const loadSignIn = () => import('./sign-in.tsx');
/** Delay after which the page preloads code, in milliseconds. */
const idleMs = 2_000;

/** Root component: a screen in its frame, or alone before the sign-in. */
export function App() {
  useEffect(followSession, []);
  useEffect(reconnectWhenAway, []);
  useEffect(receiveTenantEvents, []);
  useEffect(followTasks, []);
  useEffect(followBatchesAndBulkActions, []);
  const isSigningIn = useRouterState({ select: ({ location }) => location.pathname === '/sign-in' });
  const isSignedOut = useStore(signedOut);
  // All times on the page change with it.
  const zone = useStore(shownTimeZone);
  return (
    <CSPProvider disableStyleElements>
      {isSigningIn ? <Outlet /> : <Frame key={zone} />}
      {isSignedOut && !isSigningIn && <SignedOut />}
    </CSPProvider>
  );
}

/** Frame around each screen: the links to all screens, the state of the connection, and the dialogs of shortcuts. */
function Frame() {
  const [opened, open] = useState<'palette' | 'sheet'>();
  const close = useCallback(() => {
    takeTyped();
    open(undefined);
  }, []);
  const openPalette = () => {
    if (opened !== 'palette') holdTyping();
    open('palette');
  };
  useEffect(listenToKeys, []);
  useEffect(loadAhead, []);
  useAttention();
  useShortcut('palette', openPalette);
  useShortcut('sheet', () => open('sheet'));
  useNavigationShortcuts();
  return (
    <>
      <div className={classes['frame']}>
        <SkipLink to={['#content']}>Skip to the content</SkipLink>
        <Rail />
        <div className={classes['page']}>
          <Bar openPalette={openPalette} openSheet={() => open('sheet')} />
          <AwayBanner />
          <main id="content" className={classes['content']} tabIndex={-1}>
            <Confirmation />
            <Content />
          </main>
        </div>
      </div>
      <CatchBoundary getResetKey={() => opened ?? ''} errorComponent={NotLoaded} onCatch={takeTyped}>
        <Suspense>
          {opened === 'palette' && <Palette close={close} />}
          {opened === 'sheet' && <ShortcutSheet close={close} />}
        </Suspense>
      </CatchBoundary>
    </>
  );
}

/** The screen of the address; an explanation where the server does not have what it is about. */
function Content() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isThere = useIsThere();
  if (isThere(path)) return <Outlet />;
  const screen = screens.find(({ to }) => path.startsWith(to));
  return <NeedsRedis key={path} title={screen?.label ?? 'Bulk actions'} />;
}

/** Loads the dialogs of shortcuts in advance: people continue to type immediately, and an unreachable server sends nothing. */
function loadAhead(): () => void {
  const load = () => void Promise.all([loadPalette(), loadSheet(), loadSignIn()]).catch(() => undefined);
  const timer = setTimeout(load, idleMs);
  return () => clearTimeout(timer);
}

function useNavigationShortcuts(): void {
  const navigate = useNavigate();
  useShortcut('goToRuns', () => void navigate({ to: '/runs' }));
  useShortcut('goToInbox', () => void navigate({ to: '/inbox' }));
  useShortcut('goToWorkflows', () => void navigate({ to: '/workflows' }));
  useShortcut('goToBatches', () => void navigate({ to: '/batches' }));
  useShortcut('goToSchedules', () => void navigate({ to: '/schedules' }));
  useShortcut('goToWebhooks', () => void navigate({ to: '/webhooks' }));
  useShortcut('goToSettings', () => void navigate({ to: '/settings' }));
  useShortcut('copyLink', () => void navigator.clipboard.writeText(location.href));
}

const icons = { none: '/ui/favicon.svg', some: '/ui/favicon-asks.svg' } as const;

/** Shows in the tab of the browser that questions wait: their number before each title, and a dot on the icon. */
function useAttention(): void {
  const waiting = useWaitingQuestions();
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    icon?.setAttribute('href', waiting === '' ? icons.none : icons.some);
    if (waiting === '') return;
    const prefix = `(${waiting}) `;
    const mark = () => {
      if (!document.title.startsWith(prefix)) document.title = prefix + document.title;
    };
    mark();
    const title = document.querySelector('title');
    const observer = new MutationObserver(mark);
    if (title !== null) observer.observe(title, { childList: true });
    return () => {
      observer.disconnect();
      if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length);
    };
  }, [waiting]);
}

/** Notice that the server, or its Redis, does not answer, with the time of the next attempt. Shown data stays. */
function AwayBanner() {
  const { isReached, lacksRedis = false } = useStore(reachability);
  return isReached ? null : <Banner lacksRedis={lacksRedis} />;
}

function Banner({ lacksRedis }: { readonly lacksRedis: boolean }) {
  const next = useStore(nextAttemptAt);
  const now = useNow();
  const seconds = next === undefined ? 0 : Math.max(0, Math.ceil((next - now) / 1000));
  return (
    <div className={`${classes['banner']} note tinted row wrap`} data-tone="waiting">
      <WifiOff aria-hidden size={16} />
      <strong role="alert">{lacksRedis ? 'The server does not reach Redis.' : 'The server does not answer.'}</strong>
      <span>
        {seconds === 0 ? 'Trying again …' : `Trying again in ${seconds} s.`} The shown data may be out of date.
      </span>
      <button type="button" className="button" onClick={() => void attemptNow()}>
        Try now
      </button>
    </div>
  );
}

/** Number of open questions; hidden for zero. */
function OpenQuestions() {
  const waiting = useWaitingQuestions();
  return waiting === '' ? null : (
    <b className={`${classes['count']} pill tinted small nowrap`} data-tone="waiting">
      {waiting}
    </b>
  );
}

const loadMore = () => import('./more-screens.tsx');
const MoreScreens = lazy(async () => ({ default: (await loadMore()).MoreScreens }));

/** Button for the screens that a phone has no room for. */
function More({ screens }: { readonly screens: readonly ScreenLink[] }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const current = screens.find(({ to }) => path === to || path.startsWith(`${to}/`));
  return (
    <div className={classes['more']} data-current={current !== undefined}>
      <Deferred
        load={loadMore}
        button={(props) => (
          <button {...props} className="menu-trigger" aria-haspopup="menu" aria-label={moreName(current)}>
            <MoreLabel current={current} />
          </button>
        )}
      >
        <MoreScreens screens={screens} current={current} />
      </Deferred>
    </div>
  );
}

/** Screens that a phone has room for, with their names. */
const mostOnPhones = 4;

/** Links to the screens: a column, icons alone on narrow screens, a bar at the bottom on phones. */
function Rail() {
  const isThere = useIsThere();
  const all = screens.filter(({ to }) => isThere(`${to}/`));
  const shown = useIsNarrow() ? mostOnPhones : all.length;
  const [here, others] = [all.slice(0, shown), all.slice(shown)];
  return (
    <nav className={classes['rail']} aria-label="Screens">
      <Link to="/runs" className={`${classes['brand']} row`} aria-label="Millrace">
        <img src="/ui/favicon.svg" alt="" width={22} height={22} />
        <span>Millrace</span>
      </Link>
      <ul>
        {here.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={`${classes['link']} row muted strong`} title={label}>
              <Icon aria-hidden size={16} />
              <span>{label}</span>
              {to === '/inbox' && <OpenQuestions />}
            </Link>
          </li>
        ))}
        {others.length > 0 && (
          <li>
            <More screens={others} />
          </li>
        )}
      </ul>
      <a href="/docs" className={`${classes['link']} row muted strong ${classes['last']}`} title="API reference">
        <BookOpen aria-hidden size={16} />
        <span>API reference</span>
      </a>
    </nav>
  );
}

const SignInDialog = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignInDialog }));

/** Asks a browser that is signed out to sign in: in a dialog where there is something to lose, else on a screen. */
function SignedOut() {
  const href = useRouterState({ select: ({ location }) => location.href });
  const navigate = useNavigate();
  const [isEmpty] = useState(() => queryClient.getQueryData(callerQuery.queryKey) === undefined);
  useEffect(() => {
    if (isEmpty) void navigate({ to: '/sign-in', search: { to: href }, replace: true });
  }, [isEmpty, navigate, href]);
  if (isEmpty) return null;
  return (
    <Suspense>
      <SignInDialog />
    </Suspense>
  );
}

/** Time after a change of a batch or a bulk action in which other changes are expected, too, in milliseconds. */
const settleMs = 500;

/** Loads the batches and bulk actions that are shown again after events about them. Returns a function that stops it. */
function followBatchesAndBulkActions(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = new Set<'batches' | 'bulk'>();
  const refresh = () => {
    timer = undefined;
    if (isStill.get()) return;
    for (const kind of changed) void queryClient.invalidateQueries({ queryKey: [kind] });
    changed.clear();
  };
  const unsubscribe = onTenantEvents((events) => {
    if (isStill.get()) return;
    for (const { type } of events) {
      if (type === 'batch' || type === 'gap') changed.add('batches');
      if (type === 'bulk' || type === 'gap') changed.add('bulk');
    }
    if (changed.size > 0) timer ??= setTimeout(refresh, settleMs);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** Time after a change of a question in which other changes are expected, too, in milliseconds. */
const tasksSettleMs = 500;

const changesTasks: ReadonlySet<TenantEvent['type']> = new Set(['task', 'removed', 'counts', 'gap']);

/**
 * Loads the shown questions, and their numbers, again after events about questions, and with the numbers of runs, which
 * arrive every 15 seconds, because a claim expires without an event. Returns a function that stops it.
 */
function followTasks(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = () => {
    timer = undefined;
    if (isStill.get()) return;
    void queryClient.invalidateQueries({ queryKey: ['tasks'] });
  };
  const unsubscribe = onTenantEvents((events) => {
    if (isStill.get() || timer !== undefined) return;
    if (events.some(({ type }) => changesTasks.has(type))) timer = setTimeout(refresh, tasksSettleMs);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
