import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

type Cell = string | number;

/** An Excel file with one sheet. */
export const workbook = (rows: readonly (readonly Cell[])[]): Promise<Uint8Array<ArrayBuffer>> =>
  workbookOf(rows.map(rowXml).join(''));

/** An Excel file whose sheet has these rows, written as XML. */
export async function workbookOf(rowsXml: string): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [name, xml] of Object.entries(parts(rowsXml))) zip.addBuffer(Buffer.from(`${declaration}${xml}`), name);
  zip.end();
  return Uint8Array.from(await buffer(zip.outputStream));
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const sheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const packaging = 'http://schemas.openxmlformats.org/package/2006';

const parts = (rowsXml: string): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': `<Types xmlns="${packaging}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${sheet}" xmlns:r="${office}"><sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  'xl/worksheets/sheet1.xml': `<worksheet xmlns="${sheet}"><sheetData>${rowsXml}</sheetData></worksheet>`,
});

const rowXml = (cells: readonly Cell[], at: number): string =>
  `<row r="${at + 1}">${cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${at + 1}`)).join('')}</row>`;

const cellXml = (cell: Cell, place: string): string =>
  typeof cell === 'number'
    ? `<c r="${place}"><v>${cell}</v></c>`
    : `<c r="${place}" t="inlineStr"><is><t>${cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
