import type { Key, MadeKey } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useCaller } from '../api/use-caller.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import form from '../kit/controls/form.module.css';
import { scopeWords } from './scope-words.ts';
import classes from './settings.module.css';

type Scope = Key['scopes'][number];

const lives = { '30': '30 days', '90': '90 days', '365': 'a year', '': 'without an end' } as const;
const dayMs = 24 * 60 * 60 * 1000;

interface NewKeyDialogProps {
  readonly close: () => void;
  readonly made: (key: MadeKey) => void;
}

/** Creates an API key, with its scopes in words. */
export function NewKeyDialog({ close, made }: NewKeyDialogProps) {
  const { data: me } = useCaller();
  const [name, setName] = useState('');
  const [days, setDays] = useState<keyof typeof lives>('90');
  const [chosen, choose] = useState<readonly Scope[]>(['read']);
  const wanted = () => ({
    scopes: [...chosen],
    ...(name === '' ? {} : { name }),
    ...(days === '' ? {} : { expiresAt: Date.now() + Number(days) * dayMs }),
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => millrace.keys.create(wanted()),
    onSuccess: made,
  });
  return (
    <ConfirmDialog
      title="Make a key"
      will={`A program with this key acts for the tenant ${me?.tenant ?? ''}. The key is shown once.`}
      confirm="Make the key"
      isPending={isPending || chosen.length === 0}
      error={error}
      act={() => mutate()}
      close={close}
      copied={copyOf('keys.create', wanted())}
    >
      {me?.open === true && (
        <p className={classes['warning']}>
          The API requires no key now. From the first key on it requires one, also from this browser: copy the key
          before you close this dialog.
        </p>
      )}
      <label className={`${form['field']} stack strong`}>
        Name
        <input
          value={name}
          maxLength={100}
          onChange={({ target }) => setName(target.value)}
          placeholder="nightly reports"
        />
      </label>
      <fieldset className={`${classes['scopes']} stack`}>
        <legend>It may</legend>
        {(Object.entries(scopeWords) as [Scope, (typeof scopeWords)[Scope]][]).map(([scope, { short, allows }]) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ target }) =>
                choose(target.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
              }
            />
            <span>
              <strong>{short}</strong>: {allows}
            </span>
          </label>
        ))}
      </fieldset>
      <label className={`${form['field']} stack strong`}>
        Valid for
        <select value={days} onChange={({ target }) => setDays(target.value as keyof typeof lives)}>
          {Object.entries(lives).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </ConfirmDialog>
  );
}
