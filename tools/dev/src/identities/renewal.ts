import { repeat } from '@invoicecontrol/runtime/repeat';
import { prepareIdentities } from './identities.js';

/**
 * Interval at which the certificates of a running system are checked. It is far shorter than their remaining validity,
 * because the clock of a machine that was asleep jumps ahead by days.
 */
const CHECK_EACH_MS = 10 * 60_000;

export interface Renewal {
  /** Makes servers that do not watch their certificate files, such as nats-server, read the files again. */
  readonly onChecked: () => Promise<void>;
  /** Receives the error of a failed check of the certificates. The next check is made in any case. */
  readonly onError: (error: unknown) => void;
  /** Interval at which the certificates are checked. Only tests change it. */
  readonly eachMs?: number;
}

/**
 * Renews the certificates in a directory before they expire, as long as the system that uses them runs. The services of
 * the system notice new files automatically.
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
