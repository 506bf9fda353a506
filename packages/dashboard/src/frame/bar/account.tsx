import { lazy, Suspense, useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { AccountLabel, accountName } from './account-label.tsx';

const load = () => import('./account-menu.tsx');
const AccountMenu = lazy(async () => ({ default: (await load()).AccountMenu }));

/** Button with the tenant and the key of the caller. The code of its menu is loaded on focus or hover. */
export function Account({ openSheet }: { readonly openSheet: () => void }) {
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
