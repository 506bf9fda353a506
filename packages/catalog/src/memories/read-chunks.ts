import type { Dirent } from 'node:fs';
import { constants, createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { NodeError } from '@millrace/core';

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
/** Maximum number of chunks of all files that are cached. */
const maxCachedChunks = 100_000;
let cachedChunks = 0;
/** Maximum size of a file, in bytes: larger ones have more passages than can be searched. */
const maxFileBytes = 16 * 1024 * 1024;

/**
 * Returns the chunks of the files of a source, file by file, until there are more than `most`; undefined if there is
 * nothing at its path.
 */
export async function readChunks(source: FileSource, most: number): Promise<readonly Chunk[] | undefined> {
  const files = await filesOf(source);
  if (files === undefined) return undefined;
  const read: Chunk[] = [];
  for (const file of files) {
    if (read.length > most) break;
    for (const chunk of await chunksIn(file, source.encoding)) read.push(chunk);
  }
  return read;
}

async function filesOf({ path, types, recursive }: FileSource): Promise<readonly string[] | undefined> {
  const root = resolve(path);
  const found = await unlessMissing(stat(root));
  if (found === undefined) return undefined;
  const matches = (file: string): boolean => types === undefined || types.includes(extname(file));
  if (!found.isDirectory()) return matches(root) ? [root] : [];
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
  const bytes = await unlessMissing(readFileUpTo(file, maxFileBytes).then((read) => read ?? 'too large'));
  if (bytes === undefined) return [];
  if (bytes === 'too large') {
    throw new NodeError(
      'MEMORY_FILES_TOO_MANY',
      `The file "${file}" of the file memory has more than ${maxFileBytes / 1024 / 1024} MiB. Split it, or leave it out by \`path\` or \`file_types\`.`,
    );
  }
  // Bytes that are not text in this encoding are left out.
  const text = new TextDecoder(encoding).decode(bytes).replaceAll('\uFFFD', '');
  const chunks = chunksOf(text).map((chunk) => ({ text: chunk, file }));
  forget(file);
  fileCache.set(file, { changedAt: now.mtimeMs, size: now.size, encoding, chunks });
  cachedChunks += chunks.length;
  for (const oldest of fileCache.keys()) {
    if (fileCache.size <= maxCachedFiles && cachedChunks <= maxCachedChunks) break;
    forget(oldest);
  }
  return chunks;
}

function forget(file: string): void {
  cachedChunks -= fileCache.get(file)?.chunks.length ?? 0;
  fileCache.delete(file);
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

const size = 500;
const overlap = 50;

/** Splits a text into overlapping parts of at most 500 characters, at the end of a sentence if one is close. */
export function chunksOf(text: string): readonly string[] {
  const characters = Array.from(text);
  if (characters.length <= size) return text.trim() === '' ? [] : [text];
  const chunks: string[] = [];
  for (let start = 0; start < characters.length; ) {
    const part = characters.slice(start, start + size);
    const end = start + size < characters.length ? sentenceEnd(part) : part.length;
    chunks.push(part.slice(0, end).join('').trim());
    if (start + end >= characters.length) break;
    start += end - overlap;
  }
  return chunks.filter((chunk) => chunk !== '');
}

function sentenceEnd(part: readonly string[]): number {
  const last = part.findLastIndex((character) => '。！？.!?\n'.includes(character));
  return last > size / 2 ? last + 1 : part.length;
}

/**
 * Reads a file of at most so many bytes; undefined if it is larger. Its size is not trusted: a file may grow while it is
 * read, and a device such as /dev/zero reports none and never ends. A pipe without a writer is empty.
 */
export async function readFileUpTo(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  // Streams are opened with numbers, too, as files are; the types know texts only.
  const bytes = await buffer(createReadStream(path, { flags: flags as unknown as string, end: maxBytes }));
  return bytes.length > maxBytes ? undefined : bytes;
}
