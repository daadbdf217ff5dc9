import { splitUnquoted } from './split-unquoted.js';

const WAIT = /^wait\s*=\s*"?([0-9]{1,6})"?$/;
/**
 * Pattern for the preference `respond-async` in the header Prefer. An empty value of a preference counts as no value
 * (RFC 7240, section 2).
 */
const RESPOND_ASYNC = /^respond-async\s*(?:=\s*(?:"")?)?$/;

export interface AsyncPreference {
  readonly respondAsync: boolean;
  /**
   * Number of seconds that the caller wants to wait for the result, from the header Prefer, or undefined if the header
   * states no number.
   */
  readonly waitSeconds: number | undefined;
}

/**
 * Reads from the header Prefer whether the caller prefers an early response and does not want to wait for the result
 * (RFC 7240, sections 4.1 and 4.3; HTTP and security reference, section 4). Unknown preferences are ignored, as that
 * standard requires. If a preference is repeated, only its first value is used.
 * @param header value of the header Prefer; several headers are read as one list
 */
export function asyncPreference(header: string | readonly string[] | undefined): AsyncPreference {
  const list = typeof header === 'string' ? header : (header ?? []).join(',');
  const preferences = splitUnquoted(list, ',').map((preference) =>
    (splitUnquoted(preference, ';')[0] ?? '').trim().toLowerCase(),
  );
  const wait = preferences.map((preference) => WAIT.exec(preference)?.[1]).find(Boolean);
  return {
    respondAsync: preferences.some((preference) => RESPOND_ASYNC.test(preference)),
    waitSeconds: wait === undefined ? undefined : Number(wait),
  };
}
