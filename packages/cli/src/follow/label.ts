import { visibleName } from '../output/terminal/visible-text.ts';

/** Names that events have for their node. */
export interface NamedNode {
  readonly nodeId: string;
  /** Key of its graph. */
  readonly graph: string;
  readonly unit?: number | undefined;
}

/** Returns a node by its id, and by the path of its graph in a subgraph. What has no id counts votes. */
export const labelOf = ({ nodeId, graph }: NamedNode): string => {
  const id = nodeId === '' ? 'vote' : nodeId;
  return visibleName(graph === '' ? id : `${graph}/${id}`);
};
