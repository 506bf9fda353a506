import { z } from 'zod';

/** A time in a query: milliseconds since 1970, or ISO 8601. */
export const Moment = z
  .string()
  .regex(
    /^(\d{1,15}|\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?)$/,
    'must be milliseconds since 1970 or an ISO 8601 time',
  )
  .transform((text, context) => {
    const at = /^\d+$/.test(text) && text.length > 4 ? Number(text) : Date.parse(text);
    if (Number.isFinite(at)) return at;
    context.addIssue({ code: 'custom', message: 'must be a time that there is' });
    return z.NEVER;
  });
