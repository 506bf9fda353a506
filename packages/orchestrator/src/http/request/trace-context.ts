const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns the W3C `traceparent` of a request; undefined if it has none, or an invalid one. */
export const traceOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined => {
  const given = headers['traceparent'];
  return typeof given === 'string' && form.test(given) ? given : undefined;
};
