import type { Me } from '@millrace/client';
import { CircleUser } from 'lucide-react';
import classes from './account-menu.module.css';

const whoIs = (me: Me | undefined): string => (me === undefined ? 'not signed in' : `${me.tenant} · ${me.name}`);

/** Returns the name of the button that opens the account menu. */
export const accountName = (me: Me | undefined): string => `Account: ${whoIs(me)}`;

/** Tenant and key of the caller of this browser. */
export const AccountLabel = ({ me }: { readonly me: Me | undefined }) => (
  <>
    <CircleUser aria-hidden size={16} />
    <span className={classes['who']}>{whoIs(me)}</span>
  </>
);
