import { createContext, useContext } from 'react';
import { useServerNow } from '../../../kit/values/use-now.ts';

/** Time of a picture that does not change, in milliseconds since 1970: that of a past event, or the end of the run; undefined: live. */
export const PictureTime = createContext<number | undefined>(undefined);

/** Returns the time up to which a picture shows ages and timers. */
export function usePictureNow(): number {
  const now = useServerNow();
  return useContext(PictureTime) ?? now;
}
