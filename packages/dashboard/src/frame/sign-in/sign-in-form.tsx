import { useMutation } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { useState } from 'react';
import { signIn } from '../../api/session.ts';
import { Problem } from '../../kit/states/problem.tsx';
import classes from './sign-in-form.module.css';

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
      <label>
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
