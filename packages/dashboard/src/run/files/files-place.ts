/** Place among the files of a run that an address names. */
export interface FilesPlace {
  /** Id of the file that is previewed. */
  readonly file?: string | undefined;
  /** Digest of the version of it; absent: the present one. */
  readonly version?: string | undefined;
}

/** Returns the place that the query of an address describes. */
export const parseFilesPlace = ({ file, version }: Readonly<Record<string, unknown>>): FilesPlace => ({
  ...(typeof file === 'string' && /^[0-9a-f]{24}$/.test(file) ? { file } : {}),
  ...(typeof version === 'string' && /^[0-9a-f]{64}$/.test(version) ? { version } : {}),
});
