import { createHash } from 'node:crypto';
import type { DefinitionRef, StateView } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import type { StartRequest } from '../contract/runs.ts';
import type { Store } from '../ports/store/port.ts';

/** Returns the part of the origin of a run that describes the text that it is started with. */
export function definitionRef(definition: StartRequest['definition']): DefinitionRef | undefined {
  if (definition === undefined) return undefined;
  const { yaml, vars = {} } = definition;
  const hash = createHash('sha256').update(yaml).digest('hex').slice(0, 32);
  return Object.keys(vars).length === 0 ? { hash } : { hash, vars };
}

/** Returns the text that a run was started with, with the values of its variables; undefined when none is stored. */
export async function loadDefinition(
  store: Pick<Store, 'loadText'>,
  state: StateView,
): Promise<StartRequest['definition']> {
  const definition = state.get('origin')?.definition;
  const yaml = definition && (await store.loadText(definition.hash));
  return definition && yaml !== undefined ? { yaml, ...omitUndefined({ vars: definition.vars }) } : undefined;
}

/** Stores the text that a run is started with. */
export async function saveDefinition(
  store: Pick<Store, 'saveText'>,
  definition: StartRequest['definition'],
): Promise<void> {
  const hash = definitionRef(definition)?.hash;
  if (definition !== undefined && hash !== undefined) await store.saveText(hash, definition.yaml);
}
