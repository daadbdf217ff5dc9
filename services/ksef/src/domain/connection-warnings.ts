import { safeText } from './classify-answer.js';

/** A warning without a time, as a response of KSeF brings it. */
export interface SystemWarning {
  /** `sig-001` */
  readonly code: string;
  /** A sentence. */
  readonly message: string;
}

/** Advice on the record of a connection, which does not stop it. */
export interface ConnectionWarning extends SystemWarning {
  /** Time when the warning was last given. */
  readonly at: Date;
}

/** Warnings on the record of a connection. */
export const WARNINGS_MAX = 10;
/** Code of a warning for which KSeF states none. */
export const UNNAMED_WARNING = 'KSEF';
const CODE = /^\[?([\w.-]{1,40})\]?(?::(.*))?$/;

/** Warnings of KSeF that come without a text. */
const KNOWN_WARNINGS: Readonly<Record<string, string>> = {
  'sig-001':
    'KSeF reports that the signature of the login does not match the XAdES profiles that it requires. Tell the operator of this installation.',
};

/**
 * Reads the header `X-System-Warning`: `[code]: message | [code]: message`, also without brackets, and codes alone.
 * @returns texts that may be shown, {@link WARNINGS_MAX} at most
 */
export function readSystemWarnings(header: string): readonly SystemWarning[] {
  return safeText(header)
    .split('|')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, WARNINGS_MAX)
    .map(readWarning);
}

function readWarning(text: string): SystemWarning {
  const [, code, said = ''] = CODE.exec(text) ?? [];
  if (code === undefined) return { code: UNNAMED_WARNING, message: text };
  return { code, message: said.trim() || (KNOWN_WARNINGS[code] ?? `KSeF sent the warning ${code} without a text.`) };
}

/**
 * Adds warnings to those that are stored. A code occurs once, with its newest text and time.
 * @returns newest first, {@link WARNINGS_MAX} at most
 */
export function withWarnings(
  stored: readonly ConnectionWarning[],
  added: readonly ConnectionWarning[],
): readonly ConnectionWarning[] {
  const newestFirst = [...added, ...stored].toSorted((one, other) => other.at.getTime() - one.at.getTime());
  const byCode = new Map<string, ConnectionWarning>();
  for (const warning of newestFirst) if (!byCode.has(warning.code)) byCode.set(warning.code, warning);
  return [...byCode.values()].slice(0, WARNINGS_MAX);
}
