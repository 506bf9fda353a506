import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { signIn } from '../api/session.ts';
import { useCaller } from '../api/use-caller.ts';
import { Dialog } from '../kit/controls/dialog.tsx';
import { Problem } from '../kit/states/problem.tsx';
import classes from './sign-in.module.css';

interface SignInFormProps {
  readonly field: RefObject<HTMLInputElement | null>;
  /** Called once the browser is signed in. */
  readonly done?: () => void;
}

/** Form that exchanges an API key for a session. */
export function SignInForm({ field, done }: SignInFormProps) {
  const [key, setKey] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: signIn,
    onSuccess: () => done?.(),
    onError: () => field.current?.select(),
  });
  return (
    <form
      className={`${classes['form']} stack`}
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== '' && !isPending) mutate(key.trim());
      }}
    >
      <label className="field">
        API key
        <input
          ref={field}
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          placeholder="mk_…"
          value={key}
          onChange={({ target }) => setKey(target.value)}
          aria-invalid={error !== null}
        />
      </label>
      {error !== null && <Problem error={error} />}
      <button type="submit" className="button primary" aria-disabled={isPending}>
        {isPending ? 'Signing in …' : 'Sign in'}
      </button>
      <p className="muted small">
        <code>millrace keys create</code> makes a key. The server keeps it; this browser gets a cookie instead.
      </p>
    </form>
  );
}

/** Dialog over a page whose session has ended. Typed text on the page is kept. */
export function SignInDialog() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog title="You are signed out" focused={field}>
      <p>The session has ended, or its key was revoked. Sign in to continue; nothing on this page is lost.</p>
      <SignInForm field={field} />
    </Dialog>
  );
}

/** Screen for a browser without a session. It continues to the requested page. */
export function SignInScreen() {
  const { to = '' } = useSearch({ from: '/sign-in' });
  const { data: me } = useCaller();
  const router = useRouter();
  const field = useRef<HTMLInputElement>(null);
  const isSignedIn = me !== undefined;
  useEffect(() => {
    document.title = 'Sign in · Millrace';
    field.current?.focus();
  }, []);
  useEffect(() => {
    if (isSignedIn) router.history.replace(`/ui${isOwnPath(to) ? to : '/runs'}`);
  }, [isSignedIn, router, to]);
  return (
    <main className={`${classes['screen']} stack`}>
      <img src="/ui/favicon.svg" alt="" width={40} height={40} />
      <h1>Sign in to Millrace</h1>
      <SignInForm field={field} />
    </main>
  );
}

/** Tests if a text is a path of this page: a link must not redirect to other sites after the sign-in. */
const isOwnPath = (text: string): boolean => /^\/(?![/\\])/.test(text);
