import { visibleName } from '../output/terminal/visible-text.ts';

/** Names of the node of an event. */
export interface NamedNode {
  readonly nodeId: string;
  /** Key of its graph. */
  readonly graph: string;
  readonly unit?: number | undefined;
}

/** Returns the id of a node, after the path of its graph in a subgraph. An activation without a node id counts votes. */
export const labelOf = ({ nodeId, graph }: NamedNode): string => {
  const id = nodeId === '' ? 'vote' : nodeId;
  return visibleName(graph === '' ? id : `${graph}/${id}`);
};
