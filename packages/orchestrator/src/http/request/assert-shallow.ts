import { RequestError } from '@millrace/core';

/** Maximum depth of a body: far beyond real requests, and far below what JSON can serialise. */
const deepest = 500;

/** Throws RequestError for a body whose lists and objects are nested too deeply. */
export function assertShallow(body: unknown): void {
  if (!isDeeper(body, deepest)) return;
  throw new RequestError('REQUEST_INVALID', `The body nests lists and objects more than ${deepest} levels deep.`);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}
