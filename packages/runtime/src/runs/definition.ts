import type { Origin, RunId } from '@millrace/core';
import type { RunDefinition, Runs } from '../contract/runs.ts';
import type { Store } from '../ports/store/port.ts';

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
