import { CommandError, exitCodes } from './exit.ts';

/** Returns the error about a file that was read, and is not what it is for. */
export const fileInvalid = (message: string): CommandError =>
  new CommandError(exitCodes.invalid, message, { code: 'FILE_INVALID' });

/** Returns the error about files that a command would overwrite. */
export const fileExists = (message: string): CommandError =>
  new CommandError(exitCodes.invalid, message, { code: 'FILE_EXISTS' });

/** Returns the error about a file or folder that cannot be written. */
export const pathUnwritable = (message: string): CommandError =>
  new CommandError(exitCodes.invalid, message, { code: 'PATH_UNWRITABLE' });

/** Returns the error about a file that is no archived run. */
export const archiveUnreadable = (message: string): CommandError =>
  new CommandError(exitCodes.invalid, message, { code: 'ARCHIVE_UNREADABLE' });
