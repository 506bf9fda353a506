import { useServerNow } from '../../../kit/values/time.tsx';

/**
 * Returns the time up to which a picture shows ages and timers. `asOf` is that of a picture that does not change, in
 * milliseconds since 1970: of a past event, or of the end of the run; undefined: it is live.
 */
export function usePictureNow(asOf: number | undefined): number {
  const now = useServerNow();
  return asOf ?? now;
}
