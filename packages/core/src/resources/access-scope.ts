/** Scopes of API keys: see; start and steer runs; answer questions; `admin` allows everything, keys included. */
export const scopes = ['read', 'run', 'answer', 'admin'] as const;

/** A scope of an API key. */
export type Scope = (typeof scopes)[number];
