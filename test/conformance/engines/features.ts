import { readFileSync } from 'node:fs';
import type { Graph, Workflow } from '@millrace/core';

/** Something that not every engine can do. Cases that need what theirs cannot are counted apart. */
export type Feature = 'python nodes' | 'tools' | 'memory' | 'thinking' | 'skills' | 'code_save_and_run' | 'attachments';

/** Features that not every engine has, with patterns that find them in a workflow file. */
const spellings: readonly (readonly [feature: Feature, spelling: RegExp])[] = [
  ['python nodes', /^\s*(- )?type: ["']?python(_runner)?["']?\s*$/m],
  ['tools', /^\s*(- )?tooling:/m],
  ['memory', /^\s*(- )?(memory|memories):/m],
  ['thinking', /^\s*(- )?thinking:/m],
  ['skills', /^\s*(- )?skills:/m],
  ['code_save_and_run', /name: ["']?code_save_and_run\b/],
];

/** The same in the configuration of a node that was read. */
const fields: readonly (readonly [feature: Feature, field: string])[] = [
  ['tools', 'tooling'],
  ['memory', 'memories'],
  ['thinking', 'thinking'],
  ['skills', 'skills'],
];

/** Returns the features that a workflow file uses. */
export function featuresInFile(workflowFile: string): readonly Feature[] {
  const text = readFileSync(workflowFile, 'utf8');
  return spellings.filter(([, spelling]) => spelling.test(text)).map(([feature]) => feature);
}

/** Returns the features that a workflow and the graphs inside it use, wherever they were written. */
export function featuresIn({ graph }: Workflow): readonly Feature[] {
  const configs = nodesOf(graph).map(({ config }) => config as Readonly<Record<string, unknown>>); // all are mappings
  const used = fields.filter(([, field]) => configs.some((config) => Object.keys(config[field] ?? {}).length > 0));
  return used.map(([feature]) => feature);
}

const nodesOf = (graph: Graph): readonly Graph['nodes'][number][] =>
  graph.nodes.flatMap((node) => [node, ...(node.graph === undefined ? [] : nodesOf(node.graph))]);
