import type { z } from 'zod';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Node, Termination } from '../document/workflow.ts';
import { schemaProblems } from '../schema/schema-problems.ts';
import { TerminationOptionsSchema } from '../schema/termination-schemas.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';

/** The graph that has the termination, or the named scope in it. */
export interface TerminationTarget {
  readonly nodes: readonly Node[];
  /** Ids of the nodes of a named scope; absent for the whole graph. */
  readonly members?: ReadonlySet<string>;
  /** All nodes of the graph vote at the same time. */
  readonly voting?: boolean;
}

type Options = Pick<Termination, 'in_flight' | 'exit_to' | 'carry_last' | 'message'>;

/** Reads the options that say what happens when the scope stops. */
export function readOptions(context: ReadContext, { value, path }: LocatedValue, target: TerminationTarget): Options {
  const fields = isMapping(value) ? value : {};
  const written = Object.fromEntries(
    Object.keys(TerminationOptionsSchema.shape).flatMap((key) => (fields[key] == null ? [] : [[key, fields[key]]])),
  );
  const read = TerminationOptionsSchema.safeParse(written);
  if (!read.success) {
    for (const { code: _code, ...problem } of schemaProblems(read.error.issues, written, path)) {
      context.document.report.add('E_TERM_OPTION', problem);
    }
    return TerminationOptionsSchema.parse({}) as Options; // the defaults, which have no message
  }
  const { message, ...options } = read.data;
  const exits = options.exit_to.filter((id, index) =>
    isExit(context, target, { id, path: [...path, 'exit_to', index] }),
  );
  const carried = options.carry_last;
  if (typeof carried === 'string') checkNode(context, target, { id: carried, path: [...path, 'carry_last'] });
  rejectIneffective(context, target, { options: read.data, path });
  return { ...options, exit_to: exits, ...omitUndefined({ message }) };
}

/** Refuses options without an effect: a scope that nothing follows passes no messages on. */
function rejectIneffective(
  { document: { report } }: ReadContext,
  { voting }: TerminationTarget,
  { options, path }: { readonly options: z.infer<typeof TerminationOptionsSchema>; readonly path: Path },
): void {
  const { exit_to, carry_last, message } = options;
  if (voting && exit_to.length > 0) {
    report.add('E_TERM_OPTION', {
      path: [...path, 'exit_to'],
      message: 'In a graph with "is_majority_voting" all nodes run at once, so none comes last',
      hint: 'Put the vote into a subgraph, and the exit nodes into the graph around it.',
    });
  }
  if (exit_to.length > 0) return;
  const ineffective = [...(carry_last === true ? [] : ['carry_last']), ...(message === undefined ? [] : ['message'])];
  for (const key of ineffective) {
    report.add('E_TERM_OPTION', {
      path: [...path, key],
      message: `"${key}" concerns the nodes under "exit_to", and there are none`,
      hint: `Write "exit_to", or leave "${key}" out.`,
    });
  }
}

interface NodeReference {
  readonly id: string;
  readonly path: Path;
}

function checkNode(context: ReadContext, { nodes }: TerminationTarget, { id, path }: NodeReference): boolean {
  const known = nodes.map((node) => node.id);
  if (known.includes(id)) return true;
  const hint = didYouMean(id, known) ?? 'Add a node with this id, or name another one.';
  context.document.report.add('E_TERM_EXIT_NODE', { path, message: `Unknown node "${id}"`, hint });
  return false;
}

function isExit(context: ReadContext, target: TerminationTarget, named: NodeReference): boolean {
  if (!checkNode(context, target, named)) return false;
  if (target.members === undefined) checkExitOfGraph(context, target, named);
  if (!target.members?.has(named.id)) return true;
  context.document.report.add('E_TERM_EXIT_NODE', {
    path: named.path,
    message: `The exit node "${named.id}" lies inside the scope`,
    hint: 'Name a node outside of the scope.',
  });
  return false;
}

/** Refuses an exit node of a graph that would wait, or would run a graph: it must be a single activation. */
function checkExitOfGraph(
  { document: { report }, shared }: ReadContext,
  { nodes }: TerminationTarget,
  { id, path }: NodeReference,
): void {
  const { type, graph } = nodes.find((node) => node.id === id) ?? { type: '' };
  const waits = shared.vocabulary.nodes.get(type)?.traits?.waits === true;
  if (graph === undefined && !waits) return;
  report.add('E_TERM_EXIT_NODE', {
    path,
    message: waits
      ? `The node "${id}" asks a person, but a graph that is stopping does not wait for people`
      : `The node "${id}" runs a graph, but a graph that is stopping executes only the exit node itself`,
    hint: 'Name a node that does its work at once, or put all others into a scope that leads to this one.',
  });
}
