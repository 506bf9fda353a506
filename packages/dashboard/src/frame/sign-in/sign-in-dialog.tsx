import { useRef } from 'react';
import { Dialog } from '../../kit/controls/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

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
