import { readFileSync } from 'node:fs';
import type { ModelLookup, ModelTable, ModelTables } from '@millrace/core';
import { createModelLookup } from '@millrace/core';

let cachedTable: ModelTable | undefined;

/** Returns the facts about models that come with Millrace; models.yaml has them, with their sources. */
export function shippedModels(): ModelTable {
  // The path is the same from src and from dist, because the compiler copies only its own files. The file is generated from
  // models.yaml, and checked there: to read that takes a fifth of a second.
  cachedTable ??= JSON.parse(
    readFileSync(new URL('../../src/models/models.json', import.meta.url), 'utf8'),
  ) as ModelTable;
  return cachedTable;
}

let cachedLookup: ModelLookup | undefined;

/** Returns what is known of models without any other table. */
export function shippedLookup(): ModelLookup {
  cachedLookup ??= lookupWith([]);
  return cachedLookup;
}

/** Returns tables of models: those of the operator, which win, one of the installation, and the shipped one. */
export function createModelTables(operator: readonly ModelTable[]): ModelTables {
  let installation: ModelTable | undefined;
  let all: ModelLookup | undefined;
  let lists: ModelLookup | undefined;
  const listed = (other?: ModelTable) => {
    if (other !== undefined) return lookupWith([], other);
    lists ??= installation === undefined ? shippedLookup() : lookupWith([], installation);
    return lists;
  };
  return {
    listed,
    lookup: () => (all ??= operator.length === 0 ? listed() : lookupWith(operator, installation)),
    install(table) {
      installation = table;
      all = undefined;
      lists = undefined;
    },
  };
}

/** Returns what is known of models with tables of the operator, and one of the installation, which win in this order. */
const lookupWith = (operator: readonly ModelTable[], installation?: ModelTable): ModelLookup =>
  createModelLookup([
    ...operator.map((table) => ({ origin: 'operator' as const, table })),
    ...(installation === undefined ? [] : [{ origin: 'list' as const, table: installation }]),
    { origin: 'list', table: shippedModels() },
  ]);
