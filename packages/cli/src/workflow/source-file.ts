import { closeSync, openSync, readSync } from 'node:fs';
import type { Issue } from '@millrace/core';
import { CommandError, exitCodes } from '../exit/exit.ts';

/** The text of a definition file, with the name it is reported under. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Maximum size of a definition file, in bytes. */
const maxBytes = 2 * 1024 * 1024;

/** Reads a definition file. Returns a problem with it as an issue, like those of its content. */
export function readSource(file: string): Source | Issue {
  try {
    const bytes = readAtMost(file, maxBytes + 1);
    if (bytes.length > maxBytes) {
      const message = `The file has more than ${maxBytes.toLocaleString('en')} bytes, which is the most that is read.`;
      return issueOf(file, {
        code: 'E_FILE_TOO_LARGE',
        message,
        hint: 'Take large texts out of it; a run is given them as its task or as files.',
      });
    }
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return issueOf(file, problemOf(error));
  }
}

/** Reads a file up to a limit, whatever size it reports; a device reports none and never ends. */
function readAtMost(file: string, limit: number): Uint8Array<ArrayBuffer> {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = new Uint8Array(limit);
    let length = 0;
    for (let read = -1; read !== 0 && length < limit; length += read) {
      read = readSync(descriptor, bytes, length, limit - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Maximum size of a file that is sent, in bytes. Servers refuse attachments and tables of more than 32 MiB themselves. */
const maxSentBytes = 64 * 1024 * 1024;

/** Reads a file that is to be sent. Throws CommandError with its code when it cannot be read, or sent. */
export function readLocalFile(file: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesToSend(file);
  if (bytes.length <= maxSentBytes) return bytes;
  const message = `The file has more than ${maxSentBytes / 1024 / 1024} MiB.`;
  throw unreadable(file, { code: 'E_FILE_TOO_LARGE', message, hint: 'Nothing was sent.' });
}

function bytesToSend(file: string): Uint8Array<ArrayBuffer> {
  try {
    return readAtMost(file, maxSentBytes + 1);
  } catch (error) {
    throw unreadable(file, problemOf(error));
  }
}

/** Returns the error of a command about a file that it cannot read. */
export const unreadable = (file: string, { code, message, hint = '' }: Pick<Issue, 'code' | 'message' | 'hint'>) =>
  new CommandError(exitCodes.invalid, `${file}: ${message} ${hint}`.trim(), { code });

/** Tests if {@link readSource} has failed. */
export const isIssue = (read: Source | Issue): read is Issue => 'code' in read;

type Problem = Pick<Issue, 'code' | 'message'> & { readonly hint: string };

function problemOf(error: unknown): Problem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return { code: 'E_NOT_UTF8', message: 'The file is not valid UTF-8.', hint: 'Save it as UTF-8.' };
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
      return { code: 'E_FILE_UNREADABLE', message: 'There is no such file.', hint: 'Check the path.' };
    case 'EISDIR':
      return { code: 'E_FILE_UNREADABLE', message: 'This is a directory.', hint: 'Name a file.' };
    case 'EACCES':
    case 'EPERM':
      return { code: 'E_FILE_UNREADABLE', message: 'The file may not be read.', hint: 'Check its permissions.' };
    default:
      // The system's own name for what is wrong, such as a loop of links or a broken disk.
      if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) throw error;
      return { code: 'E_FILE_UNREADABLE', message: `The file cannot be read: ${code}.`, hint: 'Check the path.' };
  }
}

const issueOf = (file: string, problem: Problem): Issue => ({
  severity: 'error',
  file,
  path: '',
  line: 1,
  column: 1,
  ...problem,
});
