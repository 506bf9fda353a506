import { RequestError } from '@millrace/core';
import { isTlsError, reasonOf } from '../redis/outages/outage.ts';

/** Code of a failed request to S3; each has a page in docs/errors. */
export type S3Code =
  | 'S3_UNREACHABLE'
  | 'S3_TLS'
  | 'S3_SLOW'
  | 'S3_CREDENTIALS'
  | 'S3_ACCESS_DENIED'
  | 'S3_BUCKET_MISSING'
  | 'S3_REGION'
  | 'S3_CHECKSUM'
  | 'S3_SPOOL'
  | 'S3_FAILED';

/** Failure of a request to S3. */
export interface S3Failure {
  readonly code: S3Code;
  /** A clause without a full stop, which follows the location. */
  readonly reason: string;
  readonly cure: string;
  /** The same request may succeed a little later. */
  readonly passing: boolean;
}

/** Response with an error, as far as it matters. */
export interface ErrorResponse {
  readonly status: number;
  /** Beginning of the body: an XML document, or nothing in the response to HEAD. */
  readonly body: string;
  readonly region: string | undefined;
  readonly target: string | undefined;
}

const credentialCodes: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'InvalidToken',
  'ExpiredToken',
  'TokenRefreshRequired',
  'RequestTimeTooSkewed',
  'InvalidClientTokenId',
]);
const regionCodes: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'PermanentRedirect',
  'TemporaryRedirect',
  'InvalidRegionName',
]);
const checksumCodes: ReadonlySet<string> = new Set([
  'BadDigest',
  'InvalidDigest',
  'XAmzContentSHA256Mismatch',
  'XAmzContentChecksumMismatch',
]);
const passingCodes: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted']);

/** Returns the failure that a response represents. */
export function failureOfResponse({ status, body, region, target }: ErrorResponse): S3Failure {
  const code = elementOf(body, 'Code') ?? '';
  const reply = `${status}${code === '' ? '' : ` ${code}`}`;
  if (status === 408 || status === 429 || status >= 500 || passingCodes.has(code))
    return { code: 'S3_SLOW', reason: `refuses requests for now (${reply})`, cure: 'Try again later.', passing: true };
  if (checksumCodes.has(code))
    return {
      code: 'S3_CHECKSUM',
      reason: `received other contents than were sent (${reply})`,
      cure: 'Try again; check the network and proxies between if it happens again.',
      passing: true,
    };
  if (regionCodes.has(code) || (status >= 300 && status < 400))
    return elsewhere(reply, region ?? elementOf(body, 'Region'), target);
  if (credentialCodes.has(code))
    return {
      code: 'S3_CREDENTIALS',
      reason: `does not accept the keys (${reply})`,
      cure: credentialCure,
      passing: false,
    };
  if (code === 'NoSuchBucket')
    return {
      code: 'S3_BUCKET_MISSING',
      reason: 'does not exist',
      cure: 'Create the bucket, or correct its name or the endpoint.',
      passing: false,
    };
  if (status === 401 || status === 403)
    return {
      code: 'S3_ACCESS_DENIED',
      reason: `denies access (${reply})`,
      cure: 'Allow s3:GetObject, s3:PutObject and s3:DeleteObject on the objects below the prefix.',
      passing: false,
    };
  return {
    code: 'S3_FAILED',
    reason: `refuses a request (${reply})`,
    cure: 'Check that the endpoint is that of an S3 store.',
    passing: false,
  };
}

/** Cure of keys that are missing or not accepted. */
export const credentialCure =
  'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the role, and the clock of this machine.';

/** Redirections are not followed: the signature of a request holds for one host and region. */
function elsewhere(reply: string, region: string | undefined, target: string | undefined): S3Failure {
  const where = region !== undefined ? `region ${region}` : hostOf(target);
  return {
    code: 'S3_REGION',
    reason: `is in another region${where === undefined ? '' : `, or at another address: ${where}`} (${reply})`,
    cure: region === undefined ? 'Set region and endpoint in its URL.' : `Set region=${region} in its URL.`,
    passing: false,
  };
}

const hostOf = (target: string | undefined): string | undefined =>
  target !== undefined && URL.canParse(target) ? new URL(target).host : undefined;

/** Returns the failure that an error of the HTTP client represents. */
export function failureOfError(error: unknown): S3Failure {
  if (isTlsError(error))
    return {
      code: 'S3_TLS',
      reason: `makes no encrypted connection: ${reasonOf(error)}`,
      cure: 'Set NODE_EXTRA_CA_CERTS to the certificate of its authority, or correct the endpoint.',
      passing: false,
    };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return { code: 'S3_SLOW', reason: 'does not answer in time', cure: 'Try again later.', passing: true };
  return {
    code: 'S3_UNREACHABLE',
    reason: `cannot be reached: ${reasonOf(error)}`,
    cure: 'Start it, or correct the endpoint in its URL.',
    passing: true,
  };
}

/** Returns the refusal for a failed request to a location. */
export const refusalFor = (location: string, { code, reason, cure }: S3Failure): RequestError =>
  new RequestError(code, `${location} ${reason}. ${cure}`);

/** Returns the text of the first XML element with a name; undefined when there is none. */
export function elementOf(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]{1,2000})</${name}>`).exec(xml) ?? [];
  return text;
}

/** Returns whether an error is the refusal of a failed request to S3: the fault of the installation, not of its caller. */
export const isStorageFailure = (error: unknown): boolean =>
  error instanceof RequestError && (error.code.startsWith('S3_') || error.code === 'PATH_UNWRITABLE');
