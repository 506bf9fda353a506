import { readFileSync } from 'node:fs';
import { ModelTable } from '@millrace/core';
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
