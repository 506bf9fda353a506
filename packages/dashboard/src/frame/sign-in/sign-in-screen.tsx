import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { SignInForm } from './sign-in-form.tsx';
import classes from './sign-in-screen.module.css';

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
