import type { RunId, ScopeId } from './ids.ts';

/** When a node reads its memories. */
export type MemoryStage = 'pre_gen_thinking' | 'gen' | 'post_gen_thinking' | 'finished';

/** Numbers that stand for the meaning of a text. Only vectors of the same space can be compared. */
export interface Embedding {
  /** What made the vector, such as `openai/text-embedding-3-small`. */
  readonly space: string;
  /** 32-bit floats of length 1, little-endian, in base64. */
  readonly vector: string;
}

/** Texts that a server is to embed. */
export interface EmbeddingRequest {
  readonly model: string;
  /** Absent: OpenAI's own. */
  readonly baseUrl?: string;
  /** As it is written in the workflow. */
  readonly apiKey?: string;
  readonly texts: readonly string[];
}

/** What a store is to remember. */
export interface Memory {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of two memories of a store with the same hash only the older one counts. */
  readonly hash?: string;
  readonly embedding?: Embedding;
  /** Facts for people who look into the store. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A memory in its store. Ids are ordered by age. */
export interface MemoryItem extends Memory {
  readonly id: string;
}

/** A memory on its way to a store, which keeps its newest `limit` ones. */
export interface MemoryWrite {
  /** The identity of the store; see {@link storeIdentity}. */
  readonly store: string;
  readonly limit: number;
  readonly memory: Memory;
}

/** Whether a write replaces what is there or adds to it. */
export type WriteMode = 'overwrite' | 'append';

/** The memory files of a graph, as its nodes work with them. */
export interface MemoryFiles {
  /** What files hold, as shown in prompts, by name; `all`: every memory file of the graph. */
  read(names: readonly string[] | 'all'): Promise<Readonly<Record<string, string>>>;
  /** Notes a write; it is carried out when the activation completes, and once. */
  write(name: string, text: string, mode?: WriteMode): Promise<void>;
}

/** How a node reads one store. */
export interface MemoryUse {
  /** The store's name in its graph. */
  readonly store: string;
  /** At most this many memories. */
  readonly topK: number;
  /** Only memories at least this similar, from -1 to 1; absent: the most similar ones, however little that is. */
  readonly threshold?: number;
}

/** A question to the memories of a node. */
export interface RecallRequest {
  readonly stage: MemoryStage;
  readonly uses: readonly MemoryUse[];
  /** The node's role, for stores that tell agents apart. */
  readonly role: string;
  readonly query: string;
}

/** What an activation came to, for its stores to remember. */
export interface MemoryInteraction {
  readonly role: string;
  readonly input: string;
  readonly output: string;
  /** The output is kept whole, however long it is. */
  readonly whole?: true;
}

/**
 * Names a store for ever and for all workflows: by the place that its author gave it, or else by its graph and its name.
 * Stores of several workflows with the same place are one store.
 */
export function storeIdentity(store: {
  readonly place?: string;
  readonly graph: string;
  readonly name: string;
}): string {
  if (store.place !== undefined) return `path:${store.place}`;
  return `graph:${encodeURIComponent(store.graph)}:${store.name}`;
}

/** Names a store of one run, or of one execution of a graph in it, in which it is called `identity`. */
export const runStoreIdentity = (place: {
  readonly run: RunId;
  readonly frame?: ScopeId;
  readonly identity: string;
}): string => `${ofRun(place.run)}${place.frame === undefined ? '' : `${place.frame}:`}memory:${place.identity}`;

const ofRun = (run: RunId): string => `run:${run}:`;

/** What {@link runStoreIdentity} has made, without the run; undefined for stores that belong to no run, or to another. */
export const runStoreName = (run: RunId, identity: string): string | undefined =>
  identity.startsWith(ofRun(run)) ? identity.slice(ofRun(run).length) : undefined;

/** The same store of another run. */
export const storeOfRun = (run: RunId, within: string): string => `${ofRun(run)}${within}`;
