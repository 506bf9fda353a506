import { buffer } from 'node:stream/consumers';
import type { Tables } from '@millrace/api';
import { readRows } from './table-header.ts';

/** Reads tables of rows. The parsers of files are loaded when the first file comes. */
export const tables: Tables = {
  ofRows: readRows,
  async read({ name, pieces }, tenant, columns) {
    const { readTable } = await import('./table.ts');
    return (await readTable({ name, content: await buffer(pieces) }, tenant, { columns })).rows;
  },
  async preview({ name, pieces }, tenant, columns) {
    const { readTable } = await import('./table.ts');
    return readTable({ name, content: await buffer(pieces) }, tenant, { columns, isPreview: true });
  },
};
