import { safeText } from './ksef-text.js';

/** A warning in a KSeF response, without a time. */
export interface SystemWarning {
  /** Code of a warning from KSeF, such as `sig-001`. */
  readonly code: string;
  /** Text of the warning from KSeF as a sentence. */
  readonly message: string;
}

/** Warning from KSeF that is stored on a KSeF connection. The warning does not stop the connection. */
export interface ConnectionWarning extends SystemWarning {
  /** Time when the warning about a KSeF connection was last received from KSeF. */
  readonly at: Date;
}

/** Maximum number of warnings stored on a KSeF connection. */
export const WARNINGS_MAX = 10;
/** Code for a KSeF warning that has no code. */
export const UNNAMED_WARNING = 'KSEF';
const CODE = /^\[?([\w.-]{1,40})\]?(?::(.*))?$/;

/** Messages for warnings that KSeF sends without text. */
const KNOWN_WARNINGS: Readonly<Record<string, string>> = {
  'sig-001':
    'KSeF reports that the signature of the login does not match the required XAdES profiles. Notify the operator of this installation.',
};

/**
 * Reads the header `X-System-Warning` of KSeF: `[code]: message | [code]: message`. Brackets and messages may be
 * missing.
 * @returns warnings whose messages are safe to show, at most {@link WARNINGS_MAX}
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
  return { code, message: said.trim() || (KNOWN_WARNINGS[code] ?? `KSeF sent warning ${code} without a description.`) };
}

/**
 * Adds new warnings to the stored warnings of a KSeF connection. Each code occurs once, with its newest message and
 * time.
 * @returns warnings with the newest first, at most {@link WARNINGS_MAX}
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
