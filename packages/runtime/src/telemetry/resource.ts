import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Attributes of the process that every span and metric has. `OTEL_RESOURCE_ATTRIBUTES` takes precedence: the deployment
 * sets the environment and the pod there.
 */
export function processResource(): Readonly<Record<string, string>> {
  return {
    'service.namespace': 'invoicecontrol',
    'service.version': productVersion(),
    // Attribute of telemetry that identifies the replica. Without this attribute, a collector would mix the series of
    // all replicas under one name.
    'service.instance.id': `${hostname()}:${process.pid}`,
  };
}

/** All npm workspaces of the product have the same version, which telemetry reports. */
export function productVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
