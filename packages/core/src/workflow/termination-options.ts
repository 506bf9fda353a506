import { isMapping } from './mapping.ts';
import type { Path } from './path.ts';
import type { Placed, Reading } from './reading.ts';
import { didYouMean } from './suggest.ts';
import type { Node, Termination } from './workflow.ts';
import { WrittenTerminationOptions } from './written-termination.ts';
import { schemaProblems } from './zod-problems.ts';

/** The graph that a termination is about, or the part of it that has a name. */
export interface TerminationPlace {
  readonly nodes: readonly Node[];
  /** Ids of the nodes of a named scope; absent for the whole graph. */
  readonly members?: ReadonlySet<string>;
}

type Options = Pick<Termination, 'in_flight' | 'exit_to' | 'carry_last' | 'message'>;

/** Reads what is to happen when the scope stops. */
export function readOptions(reading: Reading, { value, path }: Placed, place: TerminationPlace): Options {
  const fields = isMapping(value) ? value : {};
  const written = Object.fromEntries(
    Object.keys(WrittenTerminationOptions.shape).flatMap((key) => (fields[key] == null ? [] : [[key, fields[key]]])),
  );
  const read = WrittenTerminationOptions.safeParse(written);
  if (!read.success) {
    for (const { code: _code, ...problem } of schemaProblems(read.error.issues, written, path)) {
      reading.document.report.add('E_TERM_OPTION', problem);
    }
    return WrittenTerminationOptions.parse({}) as Options; // the defaults, which have no message
  }
  const { message, ...options } = read.data;
  const exits = options.exit_to.filter((id, index) =>
    isExit(reading, place, { id, path: [...path, 'exit_to', index] }),
  );
  const carried = options.carry_last;
  if (typeof carried === 'string') checkNode(reading, place, { id: carried, path: [...path, 'carry_last'] });
  return { ...options, exit_to: exits, ...(message === undefined ? {} : { message }) };
}

interface Named {
  readonly id: string;
  readonly path: Path;
}

function checkNode(reading: Reading, { nodes }: TerminationPlace, { id, path }: Named): boolean {
  const known = nodes.map((node) => node.id);
  if (known.includes(id)) return true;
  const hint = didYouMean(id, known) ?? 'Add a node with this id, or name another one.';
  reading.document.report.add('E_TERM_EXIT_NODE', { path, message: `Unknown node "${id}"`, hint });
  return false;
}

function isExit(reading: Reading, place: TerminationPlace, named: Named): boolean {
  if (!checkNode(reading, place, named)) return false;
  const node = place.nodes.find(({ id }) => id === named.id);
  const problem = place.members?.has(named.id)
    ? {
        message: `The node "${named.id}" lies inside the scope that it is to come after`,
        hint: 'Name a node outside of the scope.',
      }
    : place.members === undefined && cannotFinish(reading, node?.type)
      ? {
          message: `The node "${named.id}" cannot be the last thing that a stopped graph does`,
          hint: 'Name a node that neither waits for anybody nor runs a graph.',
        }
      : undefined;
  if (problem === undefined) return true;
  reading.document.report.add('E_TERM_EXIT_NODE', { path: named.path, ...problem });
  return false;
}

function cannotFinish({ shared }: Reading, type: string | undefined): boolean {
  const traits = shared.vocabulary.nodes.get(type ?? '')?.traits;
  return traits?.waits === true || traits?.container !== undefined;
}
