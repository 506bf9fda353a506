import type { ConditionMessageFilter, TerminationDefinition } from '../../definitions/define-termination.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { didYouMean } from '../document/suggest.ts';
import type { TerminationLeaf } from '../document/workflow.ts';
import { schemaProblems } from '../schema/schema-problems.ts';
import { TerminationLeafSchema } from '../schema/termination-schemas.ts';
import { unknownKeys } from '../schema/unknown-keys.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { isUnresolved, readFields } from './read-context.ts';

/** A leaf as read, and what it looks at. */
export interface ParsedLeaf {
  readonly leaf: TerminationLeaf;
  readonly messageFilter: ConditionMessageFilter | undefined;
}

/** Reads a condition of the catalogue; undefined if it is invalid. */
export function readLeaf(context: ReadContext, { value, path }: LocatedValue): ParsedLeaf | undefined {
  const { report } = context.document;
  const { terminations } = context.shared.vocabulary;
  const { type, config, id, in_flight } = readFields(context, TerminationLeafSchema, { value, path });
  if (type === undefined) return undefined;
  const definition = terminations.get(type);
  if (definition === undefined) {
    const known = [...terminations.keys()];
    const hint = didYouMean(type, known) ?? `Known types: ${known.join(', ')}.`;
    report.add('E_TERM_TYPE', { path: [...path, 'type'], message: `There is no condition of type "${type}"`, hint });
    return undefined;
  }
  const read = readSettings(context, definition, { value: config ?? {}, path: [...path, 'config'] });
  if (read === undefined) return undefined;
  return {
    leaf: {
      type: definition.type,
      config: read.config,
      ...(id === undefined || id === null ? {} : { id }),
      ...omitUndefined({ in_flight }),
    },
    messageFilter: definition.messageFilter?.(read.config),
  };
}

function readSettings(
  context: ReadContext,
  definition: TerminationDefinition,
  { value: written, path: at }: LocatedValue,
): { readonly config: unknown } | undefined {
  const { report } = context.document;
  for (const unknown of unknownKeys(definition.config, written, at)) {
    const key = String(unknown.path.at(-1));
    const message = `"${key}" is not known here and has no effect`;
    report.add('W_KEY_UNKNOWN', { path: unknown.path, atKey: true, message, hint: didYouMean(key, unknown.known) });
  }
  const read = definition.config.safeParse(written);
  if (!read.success) {
    for (const { code: _code, ...problem } of schemaProblems(read.error.issues, written, at)) {
      if (!isUnresolved(context, problem.path)) report.add('E_TERM_CONFIG', problem);
    }
    return undefined;
  }
  for (const { code, severity, path: below, ...problem } of definition.check?.(read.data) ?? []) {
    report.addForeign(code, severity, { ...problem, path: [...at, ...below] });
  }
  return { config: read.data };
}
