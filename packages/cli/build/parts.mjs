import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../..', import.meta.url));

/** What processes load together, by its entries: first what all commands need, last what only workers do. */
const parts = {
  commands: [
    'cli/dist/program.js',
    'cli/dist/process/failure.js',
    'cli/dist/client/connect-remote.js',
    'cli/dist/config/config.js',
    'client/dist/index.js',
  ],
  settings: ['cli/dist/config/parse-config.js'],
  language: [
    'core/dist/index.js',
    'catalog/dist/index.js',
    'cli/dist/workflow/load-workflow.js',
    'cli/dist/workflow/open-vocabulary.js',
  ],
  runtime: ['runtime/dist/index.js', 'cli/dist/client/open-local.js', 'cli/dist/client/install-redis.js'],
  execution: ['worker/dist/index.js'],
};

/**
 * Groups of modules for Rolldown: each part is one file, of all that its entries import but for what earlier parts have. Each file costs
 * a process a millisecond, and without groups Rolldown makes one for each set of imports that need a module.
 */
export function partGroups() {
  const partOf = new Map();
  return Object.keys(parts).map((part, at, { length }) => ({
    debugName: part,
    priority: length - at,
    name(id, context) {
      if (partOf.size === 0) findParts(partOf, context);
      return partOf.get(id) === part ? part : null;
    },
  }));
}

function findParts(partOf, context) {
  const add = (id, part) => {
    const module = partOf.has(id) ? null : context.getModuleInfo(id);
    if (module === null) return;
    partOf.set(id, part);
    for (const imported of module.importedIds) add(imported, part);
  };
  for (const [part, entries] of Object.entries(parts)) for (const entry of entries) add(join(packages, entry), part);
}
