import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { NodeError } from '@millrace/core';
import { chunksOf } from './chunks.ts';

/** Files of a file memory. */
export interface FileSource {
  readonly path: string;
  /** Suffixes such as `.md`; absent: all files. */
  readonly types?: readonly string[];
  readonly recursive: boolean;
  readonly encoding: string;
}

/** A part of a file. */
export interface Chunk {
  readonly text: string;
  readonly file: string;
}

interface CachedFile {
  readonly changedAt: number;
  readonly size: number;
  readonly encoding: string;
  readonly chunks: readonly Chunk[];
}

/** Files as last read; a file that has changed since is read again. */
const fileCache = new Map<string, CachedFile>();
const maxCachedFiles = 5000;

/** Maximum size of a file, in bytes. */
const largestFile = 16 * 1024 * 1024;

/**
 * Returns the chunks of all files of a source, file by file; undefined if there is nothing at its path. Throws
 * MEMORY_FILES_TOO_MANY for a file that is too large.
 */
export async function readChunks(source: FileSource): Promise<readonly Chunk[] | undefined> {
  const files = await filesOf(source);
  if (files === undefined) return undefined;
  const read: Chunk[] = [];
  for (const file of files) for (const chunk of await chunksIn(file, source.encoding)) read.push(chunk);
  return read;
}

async function filesOf({ path, types, recursive }: FileSource): Promise<readonly string[] | undefined> {
  const root = resolve(path);
  const found = await unlessMissing(stat(root));
  if (found === undefined) return undefined;
  const matches = (file: string): boolean => types === undefined || types.includes(extname(file));
  if (!found.isDirectory()) return found.isFile() && matches(root) ? [root] : [];
  const entries: Dirent[] = await readdir(root, { recursive, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter(matches).sort();
}

async function chunksIn(file: string, encoding: string): Promise<readonly Chunk[]> {
  const now = await unlessMissing(stat(file));
  if (now === undefined) return [];
  const before = fileCache.get(file);
  if (before?.changedAt === now.mtimeMs && before.size === now.size && before.encoding === encoding)
    return before.chunks;
  if (now.size > largestFile) {
    throw new NodeError(
      'MEMORY_FILES_TOO_MANY',
      `The file ${file} of the file memory has ${now.size} bytes; at most ${largestFile} can be searched. Narrow \`path\` or \`file_types\`.`,
    );
  }
  const bytes = await unlessMissing(readFile(file));
  if (bytes === undefined) return [];
  // Bytes that are not text in this encoding are left out.
  const text = new TextDecoder(encoding).decode(bytes).replaceAll('\uFFFD', '');
  const chunks = chunksOf(text).map((chunk) => ({ text: chunk, file }));
  fileCache.delete(file);
  fileCache.set(file, { changedAt: now.mtimeMs, size: now.size, encoding, chunks });
  const oldest = fileCache.keys().next();
  if (fileCache.size > maxCachedFiles && !oldest.done) fileCache.delete(oldest.value);
  return chunks;
}

/** Returns undefined if a file is missing: it may be removed while a folder is read. */
async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}
