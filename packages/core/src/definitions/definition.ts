import type { z } from 'zod';

/** What a definition finds wrong with a configuration that its schema alone cannot see. */
export interface ConfigProblem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** Below the configuration, e.g. `['any', 0]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** What all definitions of the catalogue have in common. */
export interface Definition<Config> {
  /** The word authors write, e.g. `loop_counter`. */
  readonly type: string;
  /** One sentence for the reference page. */
  readonly summary: string;
  /** Reads and validates the configuration as authors write it. Every field carries a description. */
  readonly config: z.ZodType<Config>;
  /** Other spellings of the type that mean the same. */
  readonly aliases?: readonly string[];
  check?(config: Config): readonly ConfigProblem[];
}
