import type { EmbeddingRequest, Memory, MemoryInteraction, MemoryItem, WriteMode } from '../model/memory.ts';
import type { Definition } from './definition.ts';

/** A query of one memory store. */
export interface MemoryQuery {
  readonly text: string;
  readonly role: string;
  readonly topK: number;
  /** Lowest similarity; absent: the most similar memories, however low their similarity is. */
  readonly threshold?: number;
}

/** A memory as it is stored, with its vector ready for use. */
export interface StoredMemory extends Omit<MemoryItem, 'embedding'> {
  readonly space?: string;
  readonly vector?: Float32Array;
}

/** Context of the operations of a memory store. */
export interface MemoryContext {
  /** The run needs the behaviour of the original engine where ours differs. */
  readonly compat: boolean;
  /** The run uses the scripted model: no server is asked for embeddings. */
  readonly scripted: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 by Redis' clock. */
  now(): number;
  /** Returns all memories of the store, oldest first. */
  items(): Promise<readonly StoredMemory[]>;
  /** `fetch` that reaches only what the worker lets workflows reach. */
  readonly fetch: typeof globalThis.fetch;
  /** Returns the real path of a file or folder of the worker's machine. Throws MEMORY_FILES_REFUSED if the run may not read it. */
  readable(path: string): Promise<string>;
  /** Returns a text of the configuration with its references to secrets resolved. */
  resolveSecrets(text: string): string;
  /** Requests embeddings of texts from a server, in their order. Throws a {@link NodeError} if that fails. */
  embed(request: EmbeddingRequest): Promise<readonly (readonly number[])[]>;
  /**
   * Returns cached vectors of the tenant; a key contains everything that its vector depends on. Undefined for vectors
   * that are not cached.
   */
  cachedVectors(keys: readonly string[]): Promise<readonly (Float32Array | undefined)[]>;
  /** Caches vectors for the tenant. */
  cacheVectors(vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

/** A memory store that is one text, such as a plan or a log. */
export interface MemoryFile {
  /** Normalised path, as given by the author. */
  readonly path: string;
  /** Mode of writes that set none. */
  readonly mode: WriteMode;
  /** `run`: as long as its run; `call`: as long as one execution of its graph; `permanent`: for all runs. */
  readonly lifetime: 'run' | 'call' | 'permanent';
  /** A real file in the workspace has the same text. */
  readonly mirror: boolean;
  /** Number of writes that are kept of a file that is appended to. */
  readonly limit: number;
  /** Returns the whole text. */
  whole(access: MemoryContext): Promise<string>;
  /** Returns the text as shown in prompts. */
  view(access: MemoryContext): Promise<string>;
}

/** A type of memory store. */
export interface MemoryDefinition<Config = unknown> extends Definition<Config> {
  /** Paths in the configuration that may hold secrets; these are resolved only when the store is used. */
  readonly secrets?: readonly string[];
  /** Returns the number of memories that a store keeps: the newest ones. */
  limit?(config: Config): number;
  /** Returns the name of the store that the author wants to share; undefined: under its graph and name. */
  sharedStore?(config: Config): string | undefined;
  /**
   * Returns whether operations of the store may request embeddings. Until it has them, an operation must only read, because it
   * is aborted and repeated around each request.
   */
  embeds?(config: Config): boolean;
  /** Returns the matching memories, best first. Throws a {@link NodeError}. */
  recall(config: Config, query: MemoryQuery, access: MemoryContext): Promise<readonly Memory[]>;
  /** Returns the store as one text; absent for types that are not one text. */
  file?(config: Config): MemoryFile;
  /** Returns the memories to write. Absent: the store is only read. Throws a {@link NodeError}. */
  remember?(config: Config, experience: MemoryInteraction, access: MemoryContext): Promise<readonly Memory[]>;
}

/** Declares a type of memory store. */
export const defineMemory = <Config>(definition: MemoryDefinition<Config>): MemoryDefinition<Config> => definition;
