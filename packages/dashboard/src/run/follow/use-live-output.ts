import { useSyncExternalStore } from 'react';
import type { LiveOutput } from './live-outputs.ts';
import { logOf } from './run-logs.ts';

/** Returns the live output of an executing activation. */
export function useLiveOutput(run: string, activation: string | undefined): LiveOutput | undefined {
  const { liveOutputs } = logOf(run);
  return useSyncExternalStore(liveOutputs.subscribe, () => liveOutputs.of(activation));
}
