import type { Host, MemoryStage, Message } from '@millrace/core';
import { textOf } from '@millrace/core';
import { flatten } from '../flatten.ts';
import { memoryUses, writtenStores } from '../memory/memory-attachment.ts';
import type { AgentConfig } from './agent-config.ts';

/** Memory of an agent: reading and writing. */
export interface AgentMemory {
  /** Returns the memories that match the input at a stage, as text for the model. */
  retrieve(stage: MemoryStage): Promise<string | undefined>;
  /**
   * Adds the agent's result, which its stores receive when the activation completes. Memories that are read at the
   * stage `finished` are only recorded in the journal, for people.
   */
  remember(result: Message): Promise<void>;
}

/** Returns the memory of an agent with this input. */
export function agentMemoryOf({ memories, role }: AgentConfig, input: readonly Message[], host: Host): AgentMemory {
  const { compat } = host;
  const query = flatten(input);
  const stores = writtenStores(memories, compat);
  const retrieve = async (stage: MemoryStage): Promise<string | undefined> => {
    const uses = memoryUses(memories, { stages: [stage], compat });
    return uses.length === 0 ? undefined : host.recall({ stage, uses, role: role ?? '', query });
  };
  return {
    retrieve,
    async remember(result) {
      if (!compat) await retrieve('finished');
      if (stores.length === 0) return;
      await host.remember({ role: role ?? '', input: query, output: textOf(result) }, stores);
    },
  };
}
