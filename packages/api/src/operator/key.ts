import { scopes } from '@millrace/core';
import type { ApiKey } from '@millrace/runtime';
import { z } from 'zod';

/** An API key as lists show it: without the key itself. */
export const Key = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    scopes: z.array(z.enum(scopes)),
    createdAt: z.number().describe('Milliseconds since 1970.'),
    expiresAt: z.number().optional().describe('Milliseconds since 1970; absent: never.'),
    usedAt: z
      .number()
      .optional()
      .describe(
        'Last use to the minute, in milliseconds since 1970; only in lists, absent if there was none for a year.',
      ),
    revokedAt: z.number().optional().describe('Milliseconds since 1970; absent while it is valid.'),
  })
  .meta({ id: 'Key' });
/** Key as responses have it. */
export type Key = z.output<typeof Key>;

/** Schema of a new key. */
export const NewKey = z
  .strictObject({
    scopes: z.array(z.enum(scopes)).min(1).describe('Permissions of the key; `admin` includes all others.'),
    name: z.string().min(1).max(100).optional().describe('Description for people.'),
    expiresAt: z.number().int().positive().optional().describe('Milliseconds since 1970; absent: never.'),
  })
  .meta({ id: 'NewKey' });
/** A new key. */
export const MadeKey = Key.extend({
  key: z.string().describe('The key itself. It is returned only in this response.'),
}).meta({
  id: 'MadeKey',
});
/** MadeKey as responses have it. */
export type MadeKey = z.output<typeof MadeKey>;

/** The id of a key in a path. */
export const KeyPath = z.object({ id: z.string().regex(/^[a-z0-9]{12}$/, 'must be the id of a key') });

/** A key as the API shows it. */
export const keyOf = ({ tenant: _own, scopes: allowed, ...key }: ApiKey): z.infer<typeof Key> => ({
  ...key,
  scopes: [...allowed],
});
