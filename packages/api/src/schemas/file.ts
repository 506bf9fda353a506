import type { StoredFile } from '@millrace/runtime';
import { z } from 'zod';

/** The id of an uploaded file. */
export const FileId = z.string().regex(/^file_[0-9a-f]{32}$/, 'must be the id of a file, as POST /v1/files gives it');

/** Files that are attached to a text. */
export const Attachments = z
  .array(FileId)
  .max(20)
  .default([])
  .describe('Ids of files that were uploaded before, at most 20.');

/** One file in a path. */
export const FilePath = z.object({ id: FileId });

/** A form with one file in a field of any name. It is read part by part, so this schema checks nothing. */
export const UploadForm = z
  .custom<unknown>()
  .meta({ type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] });

/** An uploaded file. */
export const UploadedFile = z
  .object({
    id: FileId,
    name: z.string(),
    size: z.number().int().describe('In bytes.'),
    mimeType: z.string().describe('Media type, from the contents or else from the name.'),
    digest: z.string().describe('The SHA-256 of its contents, in hex.'),
    createdAt: z.number().describe('Milliseconds since 1970.'),
  })
  .meta({ id: 'File' });
/** UploadedFile as responses have it. */
export type UploadedFile = z.output<typeof UploadedFile>;

/** A file as the API shows it. */
export const fileOf = (file: StoredFile): z.infer<typeof UploadedFile> => ({ ...file });
