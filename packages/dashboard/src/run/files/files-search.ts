import { matching, searchOf } from '../../kit/values/search.ts';

/** What an address names of the files of a run. */
export const parseFilesSearch = searchOf({
  /** Id of the file that is previewed. */
  file: matching(/^[0-9a-f]{24}$/),
  /** Digest of the version of it; absent: the present one. */
  version: matching(/^[0-9a-f]{64}$/),
});
