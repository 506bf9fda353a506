import { RequestError } from '@millrace/core';

/** Far beyond what anybody writes, and far from what cannot be written as JSON again. */
const deepest = 500;

/** Throws RequestError for a body whose lists and objects stand within each other too often. */
export function assertShallow(body: unknown): void {
  if (!isDeeper(body, deepest)) return;
  throw new RequestError('REQUEST_INVALID', `The body nests lists and objects more than ${deepest} deep.`);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}
