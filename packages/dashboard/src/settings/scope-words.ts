import type { Key } from '@millrace/client';

type Scope = Key['scopes'][number];

/** Scopes in words, in the order in which they are offered. */
export const scopeWords: Readonly<Record<Scope, { readonly short: string; readonly allows: string }>> = {
  read: { short: 'read', allows: 'list, describe and follow runs, and see their questions and usage' },
  run: { short: 'run', allows: 'start, stop, replay and fork runs, and publish workflows' },
  answer: { short: 'answer', allows: 'answer questions' },
  admin: { short: 'administer', allows: 'all of these, and make keys, remove runs and manage webhooks' },
};
