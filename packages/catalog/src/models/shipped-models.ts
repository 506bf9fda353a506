import { readFileSync } from 'node:fs';
import type { ModelLookup, ModelTables } from '@millrace/core';
import { createModelLookup, ModelTable } from '@millrace/core';
import { parse } from 'yaml';

let cachedTable: ModelTable | undefined;

/** Returns the facts about models that come with Millrace; models.yaml names their sources. */
export function shippedModels(): ModelTable {
  // The path is the same from src and from dist, because the compiler copies only its own files.
  cachedTable ??= ModelTable.parse(
    parse(readFileSync(new URL('../../src/models/models.yaml', import.meta.url), 'utf8'), {
      merge: true,
      // The file repeats many of its parts.
      maxAliasCount: -1,
    }),
  );
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
