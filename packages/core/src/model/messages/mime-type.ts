/**
 * Returns the media type of a file name. Messages store it, so nodes, artifacts and uploads must derive the same one. The
 * table is in the core, which depends on zod and yaml only; a library's list would also change stored types with its updates.
 */
export const mimeTypeOf = (path: string): string =>
  types.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ?? 'application/octet-stream';

const types: ReadonlyMap<string, string> = new Map(
  Object.entries({
    css: 'text/css',
    csv: 'text/csv',
    gif: 'image/gif',
    htm: 'text/html',
    html: 'text/html',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    js: 'text/javascript',
    json: 'application/json',
    md: 'text/markdown',
    mov: 'video/quicktime',
    mp3: 'audio/mpeg',
    mp4: 'video/mp4',
    pdf: 'application/pdf',
    png: 'image/png',
    py: 'text/x-python',
    svg: 'image/svg+xml',
    tsv: 'text/tab-separated-values',
    txt: 'text/plain',
    wav: 'audio/wav',
    webm: 'video/webm',
    webp: 'image/webp',
    xml: 'text/xml',
    yaml: 'application/yaml',
    yml: 'application/yaml',
  }),
);
