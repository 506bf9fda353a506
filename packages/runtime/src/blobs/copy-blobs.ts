import type { Blobs } from '../ports/blobs.ts';

/** Numbers of contents that were copied, that were there before, and that were damaged in the source. */
export interface CopiedBlobs {
  readonly copied: number;
  readonly present: number;
  readonly damaged: number;
}

/** Copies all contents that the target lacks, one after the other; `onProgress` is called now and then. */
export async function copyBlobs(
  source: Pick<Blobs, 'idle' | 'size' | 'read'>,
  target: Pick<Blobs, 'touch' | 'putPieces'>,
  onProgress: (sofar: CopiedBlobs) => void,
): Promise<CopiedBlobs> {
  let [copied, present, damaged] = [0, 0, 0];
  for await (const digest of source.idle(0)) {
    const size = await source.size(digest);
    if (size === undefined) continue;
    if (await target.touch(digest)) present += 1;
    else if ((await target.putPieces(source.read(digest, 0, size))).digest === digest) copied += 1;
    else damaged += 1;
    onProgress({ copied, present, damaged });
  }
  return { copied, present, damaged };
}
