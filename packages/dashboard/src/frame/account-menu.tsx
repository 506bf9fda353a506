import { useNavigate } from '@tanstack/react-router';
import { Keyboard, LogOut, Settings } from 'lucide-react';
import { signOut } from '../api/session.ts';
import { useCaller } from '../api/use-caller.ts';
import { Menu, MenuItem, MenuSeparator } from '../kit/controls/menu.tsx';
import { AccountLabel, accountName } from './account-label.tsx';
import classes from './account-menu.module.css';

/** Menu of the caller of this browser, with its session. Opens as soon as it is loaded. */
export function AccountMenu({ openSheet }: { readonly openSheet: () => void }) {
  const { data: me } = useCaller();
  const navigate = useNavigate();
  return (
    <Menu label={<AccountLabel me={me} />} name={accountName(me)} isOpenAtFirst>
      <p className={`${classes['scopes']} muted small`}>
        {me === undefined
          ? 'Nobody is signed in.'
          : me.open
            ? 'This server requires no key on this machine.'
            : `May: ${me.scopes.join(', ')}`}
      </p>
      <MenuSeparator />
      <MenuItem act={() => void navigate({ to: '/settings' })}>
        <Settings aria-hidden size={14} /> Settings
      </MenuItem>
      <MenuItem act={openSheet}>
        <Keyboard aria-hidden size={14} /> Keyboard shortcuts
      </MenuItem>
      {me?.csrf !== undefined && (
        <MenuItem act={() => void signOut().then(() => navigate({ to: '/sign-in' }))}>
          <LogOut aria-hidden size={14} /> Sign out
        </MenuItem>
      )}
    </Menu>
  );
}
