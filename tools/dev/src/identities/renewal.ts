import { repeat } from '@invoicecontrol/runtime/repeat';
import { prepareIdentities } from './identities.js';

/**
 * Interval at which the identities of a running system are checked. It is far shorter than their remaining life, because
 * the clock of a machine that slept moves on by days at once.
 */
const CHECK_EACH_MS = 10 * 60_000;

export interface Renewal {
  /** Makes the servers that do not read their files by themselves, such as nats-server, read them now. */
  readonly onChecked: () => Promise<void>;
  /** Receives the error of a check. The next check follows nevertheless. */
  readonly onError: (error: unknown) => void;
  /** Interval of the checks, which only tests change. */
  readonly eachMs?: number;
}

/**
 * Makes the identities in a directory again before they expire, as long as the system that uses them runs. Its services
 * read their files by themselves.
 */
export function keepIdentities(
  directory: string,
  names: readonly string[],
  { onChecked, onError, eachMs = CHECK_EACH_MS }: Renewal,
): { stop(): Promise<void> } {
  const check = async (): Promise<void> => {
    await prepareIdentities(directory, names);
    await onChecked();
  };
  return repeat(eachMs, check, onError);
}
