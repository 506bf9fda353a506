/**
 * What is wrong with a form that could not be read, for whoever has sent it; undefined for any other error. The parser of
 * forms throws plain errors, which are told apart by what they say.
 */
export function formTrouble(error: Error & { readonly code?: string }): string | undefined {
  if (error.code === 'FST_FILES_LIMIT') return 'The form has more than one file. Send one at a time.';
  if (error.code === 'FST_PARTS_LIMIT' || error.code === 'FST_FIELDS_LIMIT') return 'The form has too many fields.';
  if (/^Multipart: Boundary not found$/.test(error.message)) {
    return 'The content type names no boundary, as that of multipart/form-data must. Let your HTTP client write it.';
  }
  return brokenOff.test(error.message) ? 'The form is no multipart/form-data, or it was broken off.' : undefined;
}

const brokenOff = /^(Unexpected end of multipart data|\w+ terminated early due to unexpected end of multipart data)$/;
