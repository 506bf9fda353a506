/**
 * Scopes of API keys: `read`, `run` (start and control runs), `answer` (answer questions), and `admin`, which allows
 * everything, keys included.
 */
export const scopes = ['read', 'run', 'answer', 'admin'] as const;

/** A scope of an API key. */
export type Scope = (typeof scopes)[number];
