import { useCaller } from './use-caller.ts';

/** Paths of the screens of what needs Redis. */
const needRedis = ['/batches', '/schedules', '/webhooks', '/bulk', '/settings/keys', '/operations/'] as const;

/** Returns whether the server has what a path, or an action at it, needs; true until the server is known. */
export function useIsThere(): (path: string) => boolean {
  const inMemory = useIsInMemory();
  return (path) => !inMemory || !needRedis.some((start) => path.startsWith(start));
}

/** Returns whether the runs of the server are in its memory, and end with it. */
export function useIsInMemory(): boolean {
  return useCaller().data?.server.storage === 'memory';
}
