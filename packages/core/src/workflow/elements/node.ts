import type { NodeDefinition } from '../../definitions/define.ts';
import type { Block, Message, Role } from '../../model/messages/message.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { isMapping, toList } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Node } from '../document/workflow.ts';
import { MessageSchema, NodeSchema } from '../schema/document-schemas.ts';
import { describeValue } from '../schema/schema-problems.ts';
import { pythonStr } from '../variables/variables.ts';
import { coerceConfig, coerceNode } from './coerce.ts';
import { includeFiles } from './included.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { isUnresolved, readBySchema, readFields } from './read-context.ts';
import { readConfigured } from './use.ts';

/** A node as far as it could be read. A node without an id is left out, because nothing can refer to it. */
export interface ParsedNode {
  readonly node: Node;
  readonly path: Path;
  readonly definition?: NodeDefinition;
  /** The configuration is valid; otherwise it is empty, and its problems have been reported. */
  readonly configured?: true;
}

/** Reads one node; undefined if it has no id or type. The inner graph of a container is read by its graph. */
export function readNode(context: ReadContext, { value, path }: LocatedValue): ParsedNode | undefined {
  const { compat } = context.shared;
  const raw = compat ? coerceNode(value) : value;
  const written = readFields(context, NodeSchema, { value: withoutMisplaced(context, raw, path), path });
  const definition = written.type === undefined ? undefined : definitionOf(context, written.type, path);
  const config = readNodeConfig(context, definition, { value: written.config, path: [...path, 'config'] });
  const input = readPresets(context, { value: written.input, path: [...path, 'input'] }, 'user');
  const output = readPresets(context, { value: written.output, path: [...path, 'output'] }, 'assistant');
  if (written.id === undefined || written.type === undefined) return undefined;
  const onError = written.on_error ?? (compat && definition?.failureText !== undefined ? 'text' : undefined);
  const node: Node = {
    id: written.id,
    type: definition?.type ?? written.type,
    ...(written.description ? { description: written.description } : {}),
    contextWindow: contextWindow(context, written.context_window ?? 0, path),
    logOutput: written.log_output ?? true,
    config: config ?? {},
    input,
    output,
    ...omitUndefined({ onError, timeoutSeconds: written.timeout, queue: written.queue }),
  };
  return { node, path, ...parsedState(definition, config) };
}

function parsedState(
  definition: NodeDefinition | undefined,
  config: unknown,
): Pick<ParsedNode, 'definition' | 'configured'> {
  if (definition === undefined) return {};
  return config === undefined ? { definition } : { definition, configured: true };
}

/** Removes and reports keys that authors put on the node although they belong elsewhere. */
function withoutMisplaced(context: ReadContext, value: unknown, path: Path): unknown {
  if (!isMapping(value)) return value;
  const { report } = context.document;
  const { memories, dynamic, ...rest } = value;
  if (memories !== undefined && memories !== null) {
    const hint = 'Move it under "config".';
    const message = '"memories" has no effect on the node itself';
    report.add('E_MEMORIES_MISPLACED', { path: [...path, 'memories'], atKey: true, message, hint });
  }
  if (dynamic !== undefined && dynamic !== null) {
    const message = '"dynamic" is not known on nodes and has no effect';
    const hint = 'Write it on the edge that leads to the node.';
    report.add('W_KEY_UNKNOWN', { path: [...path, 'dynamic'], atKey: true, message, hint });
  }
  return rest;
}

function definitionOf(context: ReadContext, type: string, path: Path): NodeDefinition | undefined {
  const { nodes } = context.shared.vocabulary;
  const definition = nodes.get(type);
  if (definition !== undefined) return definition;
  const known = [...nodes.keys()];
  context.document.report.add('E_NODE_TYPE_UNKNOWN', {
    path: [...path, 'type'],
    message: `There is no node type "${type}"`,
    hint: didYouMean(type, known) ?? `Known types: ${known.join(', ')}.`,
  });
  return undefined;
}

function readNodeConfig(
  context: ReadContext,
  definition: NodeDefinition | undefined,
  { value, path }: LocatedValue,
): unknown {
  const { report } = context.document;
  if (value === undefined || value === null) {
    const hint = 'Write "config: {}" where there is nothing to set.';
    report.add('E_FIELD_MISSING', { path, message: 'A node needs a "config"', hint });
    return undefined;
  }
  if (!isMapping(value)) {
    if (!isUnresolved(context, path)) {
      report.add('E_FIELD_TYPE', { path, message: `Expected a mapping, but found ${describeValue(value)}` });
    }
    return undefined;
  }
  if (definition === undefined || definition.traits?.container !== undefined) return {};
  const { memory, ...rest } = value;
  const isLegacy = definition.type === 'agent' && memory !== undefined;
  if (isLegacy) {
    report.add('E_AGENT_MEMORY_LEGACY', {
      path: [...path, 'memory'],
      atKey: true,
      message: 'The key "memory" of agents is no longer in use',
      hint: 'Declare the store under "memory" of the graph and name it under "memories" of the agent.',
    });
  }
  const written = isLegacy ? rest : value;
  const config = context.shared.compat ? coerceConfig(definition.type, written) : written;
  return readConfigured(context, definition, includeFiles(context, definition, { value: config, path }))?.config;
}

function contextWindow(context: ReadContext, written: number, path: Path): number {
  if (written >= -1) return written;
  context.document.report.add('W_CONTEXT_WINDOW_NEGATIVE', {
    path: [...path, 'context_window'],
    message: `A context window of ${written} means the same as -1: everything is kept`,
  });
  return -1;
}

/** Reads the messages that a node has before the run starts: texts in the given role, or whole messages. */
function readPresets(context: ReadContext, located: LocatedValue, role: Role): readonly Message[] {
  return toList(located.value).flatMap((value, index): Message[] => {
    if (!isMapping(value) || !('role' in value)) return [{ role, content: pythonStr(value), source: '', keep: false }];
    const path = Array.isArray(located.value) ? [...located.path, index] : located.path;
    const read = readBySchema(context, MessageSchema, { value, path });
    return read === undefined ? [] : [messageFrom(read.value)];
  });
}

function messageFrom(written: ReturnType<typeof MessageSchema.parse>): Message {
  const { source, ...metadata } = written.metadata ?? {};
  return {
    role: written.role,
    content: Array.isArray(written.content) ? written.content.map(blockFrom) : pythonStr(written.content ?? ''),
    source: typeof source === 'string' ? source : '',
    keep: written.keep,
    ...(written.preserve_role ? { preserveRole: true } : {}),
    ...(written.name ? { name: written.name } : {}),
    ...(written.tool_call_id ? { toolCallId: written.tool_call_id } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** Returns a block of a message: text or data, because files cannot be written into a workflow. */
function blockFrom(written: unknown): Block {
  if (!isMapping(written)) return { type: 'text', text: pythonStr(written) };
  const text = typeof written.text === 'string' ? written.text : undefined;
  if (!isMapping(written.data)) return { type: 'text', text: text ?? '' };
  return text === undefined ? { type: 'data', data: written.data } : { type: 'data', data: written.data, text };
}
