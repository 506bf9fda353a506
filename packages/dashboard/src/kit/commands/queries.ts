import type { Query, QueryName } from './definition.ts';
import { option } from './words.ts';

/** Queries of the shown data, copied from its screen. */
export const queries: { readonly [N in QueryName]: Query<N> } = {
  'runs.get': { cli: ({ id }) => ({ command: ['show', id] }) },
  'runs.events': { cli: ({ id }) => ({ command: ['watch', id] }) },
  'keys.list': { cli: () => ({ command: ['keys', 'list'] }) },
  'operations.read': { cli: () => ({ command: ['operations'] }) },
  'limits.list': { cli: () => ({ command: ['limits', 'list'] }) },
  'webhooks.list': { cli: () => ({ command: ['webhooks', 'list'] }) },
  'usage.read': {
    cli: ({ by, since, until, workflow, tenant }) => ({
      command: [
        'usage',
        ...[by ?? []].flat().flatMap((part) => ['--by', part]),
        ...option('since', since),
        ...option('until', until),
        ...option('workflow', workflow),
        ...option('tenant', tenant),
      ],
    }),
  },
};
