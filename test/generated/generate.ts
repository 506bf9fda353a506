import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { generatedFiles } from './generated-files.ts';

/** Writes the generated files. */
export async function main(): Promise<number> {
  for (const [path, text] of Object.entries(generatedFiles())) {
    const file = resolve(import.meta.dirname, '../..', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return 0;
}
