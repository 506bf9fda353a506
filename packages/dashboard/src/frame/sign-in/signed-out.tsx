import { useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { queryClient } from '../../api/query-client.ts';

const SignInDialog = lazy(async () => ({ default: (await import('./sign-in-dialog.tsx')).SignInDialog }));

/** Asks a browser that is signed out to sign in: in a dialog where there is something to lose, else on a screen. */
export function SignedOut() {
  const href = useRouterState({ select: ({ location }) => location.href });
  const navigate = useNavigate();
  const [isEmpty] = useState(() => queryClient.getQueryData(['me']) === undefined);
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
