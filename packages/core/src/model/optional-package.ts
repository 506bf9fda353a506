import { RequestError } from './errors.ts';

/** Packages of npm that are installed only where they are needed. */
export interface OptionalPackages {
  /** The part that needs them, as the subject of a sentence, such as "The provider `anthropic`". */
  readonly neededBy: string;
  /** As `npm install` takes them: `name@version`. */
  readonly install: readonly string[];
}

/** Loads what needs such packages. Throws PACKAGE_MISSING with the command that installs them if one is missing. */
export async function loadOptional<T>(packages: OptionalPackages, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, packages)) throw error;
    throw new RequestError('PACKAGE_MISSING', missingPackages(packages));
  }
}

/** Returns the message about packages that are not installed. */
export const missingPackages = ({ neededBy, install }: OptionalPackages): string =>
  `${neededBy} needs ${install.length === 1 ? 'a package that is' : 'packages that are'} not installed. ${installation(install)}`;

/** Returns the command that installs packages beside Millrace, as a sentence. */
export const installation = (install: readonly string[]): string =>
  `Install ${install.length === 1 ? 'it' : 'them'} where Millrace is installed: npm install ${install.join(' ')}`;

/** An installed package may itself lack another one; that is no reason to install it again. */
const isMissing = (error: unknown, { install }: OptionalPackages): boolean =>
  error instanceof Error &&
  'code' in error &&
  // Of an import, and of a `require` within a package.
  (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
  install.some((spec) => error.message.includes(`'${nameOf(spec)}'`));

const nameOf = (spec: string): string => spec.slice(0, spec.lastIndexOf('@'));
