import type { MemoryContext, MemoryFile, MemoryFiles, MemoryWrite } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import type { Steps } from '../context/steps.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { openStore } from './open-store.ts';

interface MemoryFilesContext {
  readonly context: ActivationContext;
  readonly signal: AbortSignal;
  readonly steps: Steps;
  /** Called with a memory that is to be written when the activation completes. */
  readonly write: (memory: MemoryWrite) => void;
  readonly openFiles: () => Promise<ActivationFiles>;
}

interface OpenFile {
  readonly file: MemoryFile;
  readonly identity: string;
  readonly access: MemoryContext;
}

/** The memory files of a node's graph. Reading them is a step, so that a replay reads what was read then. */
export function createMemoryFiles(
  worker: WorkerContext,
  { context, steps, signal, write, openFiles }: MemoryFilesContext,
): MemoryFiles {
  const open = (name: string): OpenFile | undefined => {
    const { store, identity, definition, access } = openStore(worker, { context, signal }, { name });
    const file = definition.file?.(store.config);
    return file === undefined ? undefined : { file, identity, access };
  };
  const known = (name: string): OpenFile => {
    const found = open(name);
    if (found === undefined) throw new NodeError('PLAN_INVALID', `The memory store "${name}" is not a memory file.`);
    return found;
  };
  return {
    async read(names) {
      const all = [...context.graph.memory.keys()].filter((name) => open(name) !== undefined);
      const asked = names === 'all' ? all : names;
      if (asked.length === 0) return {};
      const view = async (name: string): Promise<[string, string]> => {
        const { file, access } = known(name);
        return [name, await file.view(access)];
      };
      return steps.run({
        name: 'read memory files',
        request: asked,
        effect: 'none',
        action: async () => ({ value: Object.fromEntries(await Promise.all(asked.map(view))) }),
      });
    },
    async write(name, text, mode) {
      const { file, identity, access } = known(name);
      const how = mode ?? file.mode;
      const memory = { text, at: access.now(), metadata: { mode: how } };
      write({ store: identity, limit: how === 'overwrite' ? 1 : file.limit, memory });
      if (!file.mirror) return;
      // Written whole, so that another attempt comes to the same.
      const read = async () => ({ value: await file.whole(access) });
      const before =
        how === 'append'
          ? await steps.run({ name: 'read memory file', request: name, effect: 'none', action: read })
          : '';
      const content = before === '' ? text : `${before}\n${text}`;
      const { workspace } = await openFiles();
      await workspace.write(file.path, `${content}\n`, 'overwrite');
    },
  };
}
