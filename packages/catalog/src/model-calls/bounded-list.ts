import { z } from 'zod';

/** Maximum number of parts, calls or pictures in a reply. */
const mostEntries = 10_000;

/** Returns the schema of a list in a reply. A list that is too long is refused as a whole, without a problem per entry. */
export const boundedList = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(z.unknown()).max(mostEntries).pipe(z.array(entry));
