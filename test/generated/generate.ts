import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { generatedFiles } from './generated-files.ts';
import { referencePages } from './reference/reference-pages.ts';

/** Writes the generated files. */
export async function main(): Promise<number> {
  for (const [path, text] of Object.entries({ ...generatedFiles(), ...(await referencePages()) })) {
    const file = resolve(import.meta.dirname, '../..', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return 0;
}
