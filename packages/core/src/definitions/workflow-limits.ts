/** Limits of a workflow, subgraphs included; a larger workflow is an error. */
export interface ReadLimits {
  readonly nodes: number;
  readonly edges: number;
}

/** Default limits. */
export const defaultReadLimits: ReadLimits = { nodes: 2000, edges: 10_000 };

/** Maximum number of errors, and of warnings, that are reported of a workflow. */
export const MAX_ISSUES = 100;

/** Maximum depth of nested lists and mappings. */
export const MAX_DEPTH = 100;
