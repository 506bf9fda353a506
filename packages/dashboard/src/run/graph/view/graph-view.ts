import type { EdgeView } from './edge-view.ts';
import type { LoopView } from './loop-view.ts';
import type { NodeView } from './node-view.ts';
import type { RunGraph } from './run-graph.ts';

/** One graph with everything that its picture shows. */
export interface GraphView {
  readonly graph: RunGraph;
  readonly nodes: readonly NodeView[];
  readonly edges: readonly EdgeView[];
  readonly loops: readonly LoopView[];
}
