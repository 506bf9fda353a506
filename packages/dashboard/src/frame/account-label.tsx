import type { Me } from '@millrace/client';
import { CircleUser } from 'lucide-react';
import { signedOut } from '../api/transport.ts';
import classes from './account-menu.module.css';

/** Without an answer of the server, the caller is unknown. */
const whoIs = (me: Me | undefined): string => {
  if (me !== undefined) return `${me.tenant} · ${me.name}`;
  return signedOut.get() ? 'not signed in' : 'unknown';
};

/** Returns the name of the button that opens the account menu. */
export const accountName = (me: Me | undefined): string => `Account: ${whoIs(me)}`;

/** Tenant and key of the caller of this browser. */
export const AccountLabel = ({ me }: { readonly me: Me | undefined }) => (
  <>
    <CircleUser aria-hidden size={16} />
    <span className={`${classes['who']} cut`}>{whoIs(me)}</span>
  </>
);
