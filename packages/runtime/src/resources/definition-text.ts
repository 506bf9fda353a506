import { createHash } from 'node:crypto';
import type { DefinitionRef, StateView } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import { LRUCache } from 'lru-cache';
import type { StartRequest } from '../contract/runs.ts';
import type { Store } from '../ports/store/port.ts';

/** Returns the part of the origin of a run that describes the text that it is started with. */
export function definitionRef(definition: StartRequest['definition']): DefinitionRef | undefined {
  if (definition === undefined) return undefined;
  const { yaml, vars = {} } = definition;
  const hash = hashOf(yaml);
  return Object.keys(vars).length === 0 ? { hash } : { hash, vars };
}

/** Hashes of the texts that runs were started with last: most starts are of a few published workflows. */
const hashes = new LRUCache<string, string>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (_hash, yaml) => yaml.length + 1,
});

function hashOf(yaml: string): string {
  const known = hashes.get(yaml);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(yaml).digest('hex').slice(0, 32);
  hashes.set(yaml, hash);
  return hash;
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
