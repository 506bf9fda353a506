import { CSPProvider } from '@base-ui/react/csp-provider';
import { CatchBoundary, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { reconnectWhenAway } from '../api/reconnect.ts';
import { followSession } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { followOrders } from '../api/stream/follow-orders.ts';
import { followTasks } from '../api/stream/follow-tasks.ts';
import { receiveTenantEvents } from '../api/stream/tenant-events.ts';
import { signedOut } from '../api/transport.ts';
import { SkipLink } from '../kit/layout/skip-link.tsx';
import { listenToKeys, useShortcut } from '../kit/shortcuts/use-shortcut.ts';
import { useAttention } from './attention.ts';
import { Bar } from './bar/bar.tsx';
import { AwayBanner } from './connection/away-banner.tsx';
import classes from './frame.module.css';
import { NotLoaded } from './not-loaded.tsx';
import { holdTyping, takeTyped } from './palette/typed-ahead.ts';
import { Rail } from './rail/rail.tsx';
import { SignedOut } from './sign-in/signed-out.tsx';

const loadPalette = () => import('./palette/palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const loadSheet = () => import('./shortcuts/shortcut-sheet.tsx');
const ShortcutSheet = lazy(async () => ({ default: (await loadSheet()).ShortcutSheet }));
const loadSignIn = () => import('./sign-in/sign-in-dialog.tsx');
/** Delay after which the page preloads code, in milliseconds. */
const idleMs = 2_000;

/** Root component: a screen in its frame, or alone before the sign-in. */
export function App() {
  useEffect(followSession, []);
  useEffect(reconnectWhenAway, []);
  useEffect(receiveTenantEvents, []);
  useEffect(followTasks, []);
  useEffect(followOrders, []);
  const isSigningIn = useRouterState({ select: ({ location }) => location.pathname === '/sign-in' });
  const isSignedOut = useStore(signedOut);
  return (
    <CSPProvider disableStyleElements>
      {isSigningIn ? <Outlet /> : <Frame />}
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
            <Outlet />
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
