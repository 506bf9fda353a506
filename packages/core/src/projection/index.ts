// The projection of a run, for every program that shows one: an entry of its own, which loads no library.
export { project } from './project.ts';
export { beginDensity, type DensityProjection } from './project-density.ts';
export type { ProjectedEntry } from './projected-entry.ts';
export { displayedStatus, type NodeProgress, type NodeReader, readNodes, usageByNode } from './read-projection.ts';
export {
  type BudgetProjection,
  beginRunProjection,
  type CycleProjection,
  type FailureProjection,
  type GraphProjection,
  type LiveProjection,
  type NodeProjection,
  type ProjectedWait,
  type ProjectionSnapshot,
  type RunProjection,
  restoreProjection,
  type ScopeProjection,
  snapshotAt,
  snapshotOf,
} from './run-projection.ts';
