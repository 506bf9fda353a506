import { z } from 'zod';

/*
 * What servers report about the usage of a call. A number that no call comes to is not believed: the usage is then unknown, and
 * the call is charged its worst case. So sums of usages stay exact, and nothing is paid back.
 */

/** Most tokens of one prompt or answer; models take some millions. */
const mostTokens = 1_000_000_000;
/** Largest cost of one call in US dollars. */
const mostDollars = 1_000_000;

/** Number of tokens, or of requests to tools of the provider, as a server reports it. */
export const reportedCount = z.int().min(0).max(mostTokens);

/** Cost of a call in US dollars, as a server reports it. */
export const reportedDollars = z.number().min(0).max(mostDollars);
