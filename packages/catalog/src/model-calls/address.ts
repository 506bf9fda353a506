import type { ConfigProblem } from '@millrace/core';

/** Returns whether a text is the address of a server, with its scheme. */
export const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Returns the problem of a field that must hold the address of a server. An empty one is absent; variables are not known yet. */
export function addressProblems(
  written: string | null | undefined,
  path: readonly (string | number)[],
): readonly ConfigProblem[] {
  if (!written || written.includes('${') || isAddress(written)) return [];
  const shown = JSON.stringify(written.slice(0, 100));
  const message = `${shown} is no address of a server: it must begin with http:// or https://`;
  return [{ code: 'E_URL_INVALID', severity: 'error', path: [...path], message, hint: hintFor(written) }];
}

function hintFor(written: string): string {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(written);
  if (hasScheme || !URL.canParse(`http://${written}`)) return 'Write one such as https://models.example/v1.';
  const { hostname } = new URL(`http://${written}`);
  const isPublic = /\.[a-z]{2,}$/i.test(hostname);
  return `Write ${isPublic ? 'https' : 'http'}://${written.slice(0, 100)}.`;
}
