import { createHash } from 'node:crypto';
import type { DefinitionRef, Origin, RunId } from '@millrace/core';
import type { RunDefinition, Runs, StartRequest } from '../contract/runs.ts';
import type { Store } from '../store/port.ts';

/** Returns what the origin of a run records of the text that it is started with. */
export function definitionRef(definition: StartRequest['definition']): DefinitionRef | undefined {
  if (definition === undefined) return undefined;
  const { yaml, vars = {} } = definition;
  const hash = createHash('sha256').update(yaml).digest('hex').slice(0, 32);
  return Object.keys(vars).length === 0 ? { hash } : { hash, vars };
}

/** Stores the text that a run is started with. */
export async function saveDefinition(
  store: Pick<Store, 'saveText'>,
  definition: StartRequest['definition'],
): Promise<void> {
  const hash = definitionRef(definition)?.hash;
  if (definition !== undefined && hash !== undefined) await store.saveText(hash, definition.yaml);
}

/** Sources of definitions. */
interface DefinitionSource {
  readonly runs: Pick<Runs, 'refresh'>;
  readonly store: Pick<Store, 'loadText'>;
}

/** Returns the workflow that a run was started with; undefined when there is no such run. */
export async function definitionOf({ runs, store }: DefinitionSource, run: RunId): Promise<RunDefinition | undefined> {
  const now = await runs.refresh(run);
  if (now === undefined) return undefined;
  const origin: Origin = now.state.get('origin') ?? { workflow: now.plan.graphs.get('')?.id ?? '' };
  const { workflow: name, definition } = origin;
  const yaml = definition && (await store.loadText(definition.hash));
  return {
    name,
    ...(now.plan.compat ? { compat: 'chatdev' } : {}),
    ...(definition === undefined || yaml === undefined
      ? {}
      : { text: { hash: definition.hash, yaml, vars: definition.vars ?? {} } }),
  };
}
