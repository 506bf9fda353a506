import type { Edge, Graph, Node, Workflow } from '@millrace/core';
import { plainEdge } from '@millrace/core';

/** Workflows of the benchmark: as little work in the nodes as there can be, so that the engine is what is measured. */

const node = (id: string, type: string, config: unknown): Node => ({
  id,
  type,
  config,
  contextWindow: 0,
  logOutput: true,
  input: [],
  output: [],
});

const edge = (from: string, to: string, more: Partial<Edge> = {}): Edge => ({
  from,
  to,
  ...plainEdge,
  ...more,
});

const workflow = (graph: Pick<Graph, 'nodes' | 'edges' | 'start'> & Partial<Graph>): Workflow => ({
  version: '1',
  graph: { id: 'bench', logLevel: 'INFO', voting: false, end: [], memory: [], ...graph },
});

const passthrough = (id: string) => node(id, 'passthrough', { only_last_message: true });

/** `length` nodes one after the other. */
export function chain(length: number): Workflow {
  const ids = Array.from({ length }, (_, at) => `n${at}`);
  const edges = ids.slice(1).map((id, at) => edge(`n${at}`, id));
  return workflow({ nodes: ids.map(passthrough), edges, start: ['n0'] });
}

/** A list of `units` lines that is fanned out and joined. */
export function map(units: number, maxParallel: number): Workflow {
  const content = Array.from({ length: units }, (_, at) => `unit ${at}`).join('\n');
  const dynamic = { type: 'map' as const, split: { type: 'lines', config: {} }, maxParallel, groupSize: 3 };
  return workflow({
    nodes: [node('list', 'literal', { content, role: 'user' }), passthrough('unit'), passthrough('join')],
    edges: [edge('list', 'unit', { dynamic }), edge('unit', 'join')],
    start: ['list'],
  });
}

/** A cycle that goes round `turns` times and comes to this node then. */
const loopTo = (end: Node, turns: number): Workflow =>
  workflow({
    nodes: [passthrough('turn'), node('guard', 'loop_counter', { max_iterations: turns, reset_on_emit: true }), end],
    edges: [edge('turn', 'turn'), edge('turn', 'guard'), edge('guard', 'turn'), edge('guard', 'end')],
    start: ['turn'],
  });

/** A cycle that goes round `turns` times, two activations each. */
export const loop = (turns: number): Workflow => loopTo(passthrough('end'), turns);

/** The same, and then a question, so that its state can be looked at while it lives. */
export const loopThatWaits = (turns: number): Workflow => loopTo(node('end', 'human', {}), turns);

/** A question to a person. */
export const question = (): Workflow => workflow({ nodes: [node('ask', 'human', {})], edges: [], start: ['ask'] });

/** `length` nodes one after the other that say something of their own, a hundred characters, and then a question. */
export function talk(length: number): Workflow {
  const ids = Array.from({ length }, (_, at) => `n${at}`);
  const nodes = ids.map((id) => node(id, 'literal', { content: id.padEnd(100, '.'), role: 'assistant' }));
  const edges = ids.map((id, at) => edge(id, ids[at + 1] ?? 'ask'));
  return workflow({ nodes: [...nodes, node('ask', 'human', {})], edges, start: ['n0'] });
}

/** `length` agents one after the other, whose model answers at once: first with a call of the tool `note`, then in words. */
export function agents(length: number): Workflow {
  const call = { tool_calls: [{ name: 'note', arguments: { word: 'done' } }] };
  const rules = [
    { when: { last_role: 'user' }, reply: call },
    { when: { last_role: 'tool' }, reply: 'noted' },
  ];
  return agentsWith(length, { provider: 'scripted', name: 'm', params: { rules } });
}

/** The same with a model provider at this address, which calls the first tool and then says that it is done. */
export const httpAgents = (length: number, url: string): Workflow =>
  agentsWith(length, { provider: 'openai', name: 'bench', base_url: url, api_key: 'none' });

function agentsWith(length: number, model: object): Workflow {
  const ids = Array.from({ length }, (_, at) => `a${at}`);
  const config = { ...model, tooling: [{ type: 'function', config: { tools: [{ name: 'note' }] } }] };
  const edges = ids.slice(1).map((id, at) => edge(`a${at}`, id));
  return workflow({ nodes: ids.map((id) => node(id, 'agent', config)), edges, start: ['a0'] });
}

/** An agent that reads a store whose embeddings come from this server. */
export function remembering(embeddingUrl: string): Workflow {
  const embedding = { provider: 'openai', model: 'emb', base_url: embeddingUrl, api_key: 'none' };
  const memories = [{ name: 'notes', read: true, top_k: 10, similarity_threshold: 0 }];
  const agent = { provider: 'scripted', name: 'm', params: { default: 'ok' }, input_mode: 'messages', memories };
  return workflow({
    id: 'remembering',
    memory: [{ name: 'notes', type: 'simple', config: { embedding, max_items: 5000 } }],
    nodes: [node('A', 'agent', agent)],
    edges: [],
    start: ['A'],
  });
}
