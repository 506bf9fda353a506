import type { RunId, ScopeId } from './ids.ts';

/** Stage at which a node reads its memories. */
export type MemoryStage = 'pre_gen_thinking' | 'gen' | 'post_gen_thinking' | 'finished';

/** Numbers that represent the meaning of a text. Only vectors of the same space can be compared. */
export interface Embedding {
  /** Model that made the vector, such as `openai/text-embedding-3-small`. */
  readonly space: string;
  /** 32-bit floats of length 1, little-endian, in base64. */
  readonly vector: string;
}

/** A request to a server for embeddings of texts. */
export interface EmbeddingRequest {
  readonly model: string;
  /** Absent: OpenAI's own server. */
  readonly baseUrl?: string;
  /** API key as written in the workflow. */
  readonly apiKey?: string;
  readonly texts: readonly string[];
}

/** A memory to store. */
export interface Memory {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of two memories of a store with the same hash, only the older one counts. */
  readonly hash?: string;
  readonly embedding?: Embedding;
  /** Metadata for people who inspect the store. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A memory in its store. Ids are ordered by age. */
export interface MemoryItem extends Memory {
  readonly id: string;
}

/** A write of a memory to a store, which keeps its newest `limit` ones. */
export interface MemoryWrite {
  /** The identity of the store; see {@link storeIdentity}. */
  readonly store: string;
  readonly limit: number;
  readonly memory: Memory;
}

/** Effect of a write: it replaces the text or adds to it. */
export type WriteMode = 'overwrite' | 'append';

/** The memory files of a graph, as its nodes use them. */
export interface MemoryFiles {
  /** Returns the texts of files, as shown in prompts, by name; `all`: every memory file of the graph. */
  read(names: readonly string[] | 'all'): Promise<Readonly<Record<string, string>>>;
  /** Adds a write, which is carried out exactly once, when the activation completes. */
  write(name: string, text: string, mode?: WriteMode): Promise<void>;
}

/** A store that a node reads, with its options. */
export interface MemoryUse {
  /** The store's name in its graph. */
  readonly store: string;
  /** Maximum number of memories. */
  readonly topK: number;
  /** Lowest similarity, from -1 to 1; absent: the most similar memories, however low their similarity is. */
  readonly threshold?: number;
}

/** A query of a node's memories. */
export interface RecallRequest {
  readonly stage: MemoryStage;
  readonly uses: readonly MemoryUse[];
  /** Role of the node, for stores that keep agents apart. */
  readonly role: string;
  readonly query: string;
}

/** Input and output of an activation, for its stores to remember. */
export interface MemoryInteraction {
  readonly role: string;
  readonly input: string;
  readonly output: string;
  /** The output is stored whole, however long it is. */
  readonly whole?: true;
}

/**
 * Returns the identity of a store for all workflows: by the shared store that its author named, or else by its graph and
 * name. Workflows that name the same shared store use one store.
 */
export function storeIdentity(store: {
  readonly sharedStore?: string;
  readonly graph: string;
  readonly name: string;
}): string {
  if (store.sharedStore !== undefined) return `path:${store.sharedStore}`;
  return `graph:${encodeURIComponent(store.graph)}:${store.name}`;
}

/** Returns the identity of a store of one run, or of one frame in it, whose own identity is `identity`. */
export const runStoreIdentity = (store: {
  readonly run: RunId;
  readonly frame?: ScopeId;
  readonly identity: string;
}): string => `${ofRun(store.run)}${store.frame === undefined ? '' : `${store.frame}:`}memory:${store.identity}`;

const ofRun = (run: RunId): string => `run:${run}:`;

/** Returns the part of {@link runStoreIdentity} after the run; undefined for a store of no run or of another run. */
export const runStoreName = (run: RunId, identity: string): string | undefined =>
  identity.startsWith(ofRun(run)) ? identity.slice(ofRun(run).length) : undefined;

/** Returns the identity of the same store in another run. */
export const storeOfRun = (run: RunId, within: string): string => `${ofRun(run)}${within}`;
