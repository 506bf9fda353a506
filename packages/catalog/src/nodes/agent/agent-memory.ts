import type { Host, MemoryStage, Message } from '@millrace/core';
import { textOf } from '@millrace/core';
import { flatten } from '../flatten.ts';
import { memoryUses, writtenStores } from '../memory-attachment.ts';
import type { AgentConfig } from './agent-config.ts';

/** What an agent remembers and writes down. */
export interface AgentMemory {
  /** What its stores hold that fits the input at a stage, as text for the model. */
  retrieve(stage: MemoryStage): Promise<string | undefined>;
  /**
   * Notes what the agent came to; its stores get it when the activation completes. What is read when an agent has
   * finished is noted for people, in the journal.
   */
  remember(result: Message): Promise<void>;
}

/** The recollection of an agent that has this input. */
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
