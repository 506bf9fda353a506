/** The most that a workflow may have, its subgraphs included. What is beyond is an error of the workflow. */
export interface ReadLimits {
  readonly nodes: number;
  readonly edges: number;
}

/** The limits where nothing else is said. */
export const defaultReadLimits: ReadLimits = { nodes: 2000, edges: 10_000 };

/** Errors that are reported of a workflow before reading it stops, and warnings of which it reports no more. */
export const MAX_ISSUES = 100;

/** Lists and mappings that may stand within each other. */
export const MAX_DEPTH = 100;
