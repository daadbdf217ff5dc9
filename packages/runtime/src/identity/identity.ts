import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { systemClock } from '../clock.js';
import type { Clock } from '../clock.js';
import { ConfigError } from '../config.js';
import type { Logger } from '../logger.js';
import { count, reportGauges } from '../telemetry.js';
import { areSameFiles, checkIdentity, readIdentityFiles } from './identity-files.js';
import type { CheckedIdentity, IdentityFiles } from './identity-files.js';

export interface IdentityOptions {
  /** Directory with the files of the service's TLS identity: `tls.crt`, `tls.key` and `ca.crt`. */
  readonly directory: string;
  readonly trustDomain: string;
  readonly logger: Logger;
  /** Name of the service that its certificate must contain. If absent, the certificate may name any service. */
  readonly service?: string;
  /** Interval at which the files of an identity are read again. Only tests change this interval. */
  readonly pollMs?: number;
  readonly clock?: Clock;
}

/**
 * TLS identity by which a service proves who it is, for connections in both directions. It changes when its files
 * change.
 */
export interface Identity {
  /** Name of the service, as its certificate states it. */
  readonly service: string;
  readonly trustDomain: string;
  /**
   * Kubernetes namespace in the certificate of the service, if the certificate names one. Connections with a service of
   * another namespace are refused.
   */
  readonly namespace: string | undefined;
  readonly logger: Logger;
  /** Current files of the service's TLS identity, which fit together. */
  readonly files: IdentityFiles;
  /**
   * TLS context for outgoing connections. Node.js reads its member `context` for each new connection, so that a renewed
   * certificate takes effect without new gRPC channels.
   */
  readonly secureContext: SecureContext;
  /**
   * Registers a function that is called after each change of the identity files.
   * @returns a function that removes the registered function
   */
  onChange(changed: (files: IdentityFiles) => void): () => void;
  close(): void;
}

/** TLS versions before 1.3 are refused for incoming and outgoing connections. */
export const TLS_VERSION_MIN = 'TLSv1.3';
/**
 * Interval at which the identity files are read. Watching them is not enough, because Kubernetes replaces a link in
 * their directory, which file watches do not report.
 */
const POLL_MS = 10_000;
const HOUR_MS = 3_600_000;

/**
 * Opens the TLS identity of a service from its three files, and reads the files again every ten seconds. New files are
 * used only if they fit together. Otherwise the previous files stay in use, and the reason is logged and counted.
 * @throws ConfigError if the files are missing or do not fit together
 */
export function openIdentity({
  directory,
  trustDomain,
  logger,
  service: expected,
  pollMs = POLL_MS,
  clock = systemClock,
}: IdentityOptions): Identity {
  let files: IdentityFiles;
  let checked: CheckedIdentity;
  let context: SecureContext;
  try {
    files = readIdentityFiles(directory);
    checked = checkIdentity(files, trustDomain, clock.now());
    context = contextOf(files);
    if (expected !== undefined && checked.service !== expected)
      throw new Error(`tls.crt names ${checked.service} and not ${expected}`);
  } catch (error) {
    throw new ConfigError(
      `TLS_DIR is ${directory}, which must contain tls.crt, tls.key and ca.crt of this service: ${messageOf(error)}.`,
      { cause: error },
    );
  }
  const { service, namespace } = checked;
  const listeners = new Set<(files: IdentityFiles) => void>();
  let lastFault: string | undefined;

  const renew = (): void => {
    let isChanged = false;
    try {
      const found = readIdentityFiles(directory);
      isChanged = !areSameFiles(found, files);
      if (isChanged) {
        const next = checkIdentity(found, trustDomain, clock.now());
        if (next.service !== service || next.namespace !== namespace)
          throw new Error(`tls.crt names ${next.service}; this service was started as ${service}`);
        context = contextOf(found);
        [files, checked] = [found, next];
      }
      lastFault = undefined;
    } catch (error) {
      count('invoicecontrol.identity.refused_files', {}, 1, service);
      const fault = messageOf(error);
      if (fault !== lastFault)
        logger.error({ directory, error }, 'new identity files do not fit together; the last ones stay in use');
      lastFault = fault;
      return;
    }
    if (!isChanged) return;
    logger.info({ validTo: checked.validTo.toISOString() }, 'the identity has changed');
    for (const changed of listeners) changed(files);
  };
  const warn = expiryWarning(logger, clock);
  const poll = setInterval(() => {
    renew();
    warn(checked);
  }, pollMs);
  poll.unref();
  const stopReporting = reportGauges(
    ['invoicecontrol.identity.expires'],
    async () => [
      {
        attributes: {},
        values: { 'invoicecontrol.identity.expires': (checked.validTo.getTime() - clock.now().getTime()) / 1_000 },
      },
    ],
    service,
  );
  return {
    service,
    trustDomain,
    namespace,
    logger,
    get files() {
      return files;
    },
    secureContext: {
      get context(): unknown {
        return context.context;
      },
    },
    onChange(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    close() {
      clearInterval(poll);
      stopReporting();
    },
  };
}

function contextOf(files: IdentityFiles): SecureContext {
  return createSecureContext({ ...files, minVersion: TLS_VERSION_MIN });
}

/**
 * Returns a function that warns about each certificate at most twice: in the last third of its validity, and in its
 * last hour.
 */
function expiryWarning(logger: Logger, clock: Clock): (identity: CheckedIdentity) => void {
  const said = new Set<string>();
  return ({ validFrom, validTo }) => {
    const leftMs = validTo.getTime() - clock.now().getTime();
    const fields = { validTo: validTo.toISOString() };
    const once = (level: 'warn' | 'error', message: string): void => {
      const key = `${level} ${fields.validTo}`;
      if (!said.has(key)) logger[level](fields, message);
      said.add(key);
    };
    if (leftMs < HOUR_MS) once('error', 'the identity expires within an hour; new connections are refused then');
    else if (leftMs < (validTo.getTime() - validFrom.getTime()) / 3)
      once('warn', 'the identity is in its last third and has not been renewed');
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
