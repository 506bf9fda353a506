import * as client from '@millrace/client';
import { connectionOptions } from './millrace.ts';
import { queryClient } from './query-client.ts';
import { signedOut, untilSignedIn } from './transport.ts';
import { callerQuery } from './use-caller.ts';

/** Tabs of this browser share one session, and notify each other when it begins and ends. */
const otherTabs = new BroadcastChannel('millrace.session');
type Change = 'signed in' | 'signed out';

/** Exchanges a key for a session of this browser. The key is sent once, and kept nowhere. */
export async function signIn(key: string): Promise<void> {
  await untilSignedIn(() => client.signIn(connectionOptions, key));
  await afterSignIn();
  otherTabs.postMessage('signed in' satisfies Change);
}

/** Ends the session of this browser, and drops the data that it has loaded. */
export async function signOut(): Promise<void> {
  await client.signOut(connectionOptions);
  otherTabs.postMessage('signed out' satisfies Change);
  afterSignOut();
}

/** Follows the session as other tabs begin and end it. Returns a function that stops it. */
export function followSession(): () => void {
  const onMessage = ({ data }: MessageEvent<Change>) => {
    if (data === 'signed out') afterSignOut();
    else void afterSignIn();
  };
  otherTabs.addEventListener('message', onMessage);
  return () => otherTabs.removeEventListener('message', onMessage);
}

async function afterSignIn(): Promise<void> {
  const before = queryClient.getQueryData(callerQuery.queryKey);
  signedOut.set(false);
  const me = await queryClient.fetchQuery({ ...callerQuery, staleTime: 0 });
  // Data of one tenant must not be shown to another one.
  if (before !== undefined && before.tenant !== me.tenant) await queryClient.resetQueries();
  else await queryClient.invalidateQueries();
}

function afterSignOut(): void {
  queryClient.clear();
  signedOut.set(true);
}
