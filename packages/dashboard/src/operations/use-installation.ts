import { useQuery } from '@tanstack/react-query';
import { isStill } from '../api/live-updates.ts';
import { millrace } from '../api/millrace.ts';
import { useStore } from '../api/store.ts';

/** There are no events for changes of queues and workers. */
const everyMs = 5_000;

function usePolling() {
  return { refetchInterval: useStore(isStill) ? (false as const) : everyMs };
}

/** Loads the state of the installation, and keeps it up to date. */
export const useInstallation = () =>
  useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => millrace.operations.read({ signal }),
    ...usePolling(),
  });

/** Loads the connected workers. */
export const useWorkers = () =>
  useQuery({
    queryKey: ['operations', 'workers'],
    queryFn: ({ signal }) => millrace.operations.workers({ signal }),
    ...usePolling(),
  });

/** Loads the refused jobs of the intake queue, the newest first. */
export const useRefusedJobs = () =>
  useQuery({
    queryKey: ['operations', 'refused'],
    queryFn: ({ signal }) => millrace.intake.refused({ signal }).page(),
    ...usePolling(),
  });

/** Loads what tenants have stored, and may store. */
export const useStored = () =>
  useQuery({ queryKey: ['operations', 'stored'], queryFn: ({ signal }) => millrace.limits.stored({ signal }) });

/** Loads the limits of tenants and workflows. */
export const useLimits = () =>
  useQuery({ queryKey: ['operations', 'limits'], queryFn: ({ signal }) => millrace.limits.list({ signal }) });
