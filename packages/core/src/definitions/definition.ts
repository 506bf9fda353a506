import type { z } from 'zod';

/** A problem of a configuration that its schema cannot detect. */
export interface ConfigProblem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** Path below the configuration, e.g. `['any', 0]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** Properties that all definitions of the catalogue have. */
export interface Definition<Config> {
  /** The name that authors write, e.g. `loop_counter`. */
  readonly type: string;
  /** One sentence for the reference page. */
  readonly summary: string;
  /** Schema of the configuration as authors write it. Every field has a description. */
  readonly config: z.ZodType<Config>;
  /** Other names of the type. */
  readonly aliases?: readonly string[];
  check?(config: Config): readonly ConfigProblem[];
}
