import type { ActivationId, ModelSettings, NodeRef, Plan, RunId } from '@millrace/core';
import {
  configOf,
  modelSettingsOf,
  RequestError,
  withModelSettings,
  withNodeConfig,
  withoutTenant,
} from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import type { StartRequest } from '../contract/runs.ts';

/** Node of an activation at which a run is forked. */
export interface ForkedNode extends NodeRef {
  /** undefined: it asks no model. */
  readonly settings: ModelSettings | undefined;
}

/** Returns the node of an activation that had not settled; undefined for a count of votes. */
export function forkedNode(
  { graphs }: Pick<Plan, 'graphs'>,
  { live }: Pick<RunProjection, 'live'>,
  at: ActivationId,
): ForkedNode | undefined {
  const { graph = '', node = -1 } = live.get(at) ?? {};
  const found = graphs.get(graph)?.nodes[node];
  return found && { graph, node: found.id, settings: modelSettingsOf(found.config) };
}

/** Workflow under which a fork continues, with the text that it was read from. */
type ForkPlan = Pick<StartRequest, 'workflow' | 'definition'>;

interface SettingsChange {
  readonly run: RunId;
  readonly node: ForkedNode | undefined;
  readonly settings: Partial<ModelSettings>;
}

/** Returns a workflow, and its text, with other settings of a node. Throws RequestError for a node that asks no model. */
export function withSettings(plan: ForkPlan, { run, node, settings }: SettingsChange): ForkPlan {
  if (node?.settings === undefined)
    throw new RequestError(
      'FORK_NODE_ASKS_NO_MODEL',
      `Node "${node?.node ?? ''}" of run ${withoutTenant(run)} asks no model, so it has no prompt and no model. Fork the run at an activation of an agent, or give the activation another output or input.`,
    );
  const { workflow, definition } = plan;
  return {
    workflow: withModelSettings(workflow, node, settings),
    ...(definition && { definition: { ...definition, yaml: changedText(definition.yaml, node, settings) } }),
  };
}

/** Returns a text with other settings of a node; where the text does not contain the node, a comment in it says so. */
function changedText(yaml: string, node: NodeRef, settings: Partial<ModelSettings>): string {
  const place = node.graph === '' ? node.node : `${node.graph}/${node.node}`;
  return (
    withNodeConfig(yaml, node, configOf(settings)) ??
    `# A fork has changed the node ${JSON.stringify(place)}, which is not written in this text: ${JSON.stringify(configOf(settings))}\n${yaml}`
  );
}
